import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { documentPaths, readDocument, rootPath } from './markdown.ts';

const FOLDER = 'test/docs/.cache';

/** A program that a document shows. */
export interface ExampleProgram {
  /** Where it stands, as `docs/page.md:12`. */
  readonly name: string;
  /** Of the file that it was written to. */
  readonly file: string;
}

/** What the documents leave to the reader's imagination. */
const AMBIENT = `declare const plc: { read(name: string, signal: AbortSignal): Promise<number> };
`;

const SETTINGS = {
  extends: '../../../tsconfig.base.json',
  compilerOptions: {
    composite: false,
    noEmit: true,
    declaration: false,
    declarationMap: false,
    isolatedDeclarations: false,
    noUnusedLocals: false,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
  },
  include: ['*.ts'],
};

/**
 * Writes the programs that the documents show to files of their own. A block that imports something begins a program; one that
 * doesn't goes on with the program before it. Lines keep their numbers, so that errors point into the document.
 */
export function writeExamples(): readonly ExampleProgram[] {
  rmSync(rootPath(FOLDER), { recursive: true, force: true });
  mkdirSync(rootPath(FOLDER), { recursive: true });
  writeFileSync(rootPath(`${FOLDER}/ambient.d.ts`), AMBIENT);
  writeFileSync(rootPath(`${FOLDER}/tsconfig.json`), JSON.stringify(SETTINGS, undefined, 2));
  return documentPaths().flatMap((path) => {
    const programs = programsOf(path);
    for (const { file, lines } of programs) writeFileSync(file, `${lines.join('\n')}\n`);
    return programs;
  });
}

function programsOf(path: string): (ExampleProgram & { readonly lines: string[] })[] {
  const programs: (ExampleProgram & { readonly lines: string[] })[] = [];
  for (const { language, text, line } of readDocument(path).blocks) {
    if (language !== 'ts') continue;
    if (/^import /mu.test(text)) {
      const file = rootPath(`${FOLDER}/${path.replaceAll('/', '-')}-${line}.ts`);
      programs.push({ name: `${path}:${line}`, file, lines: [] });
    }
    const program = programs.at(-1);
    if (program === undefined) throw new Error(`${path}:${line}: the first example of a page has to import what it uses`);
    while (program.lines.length < line - 1) program.lines.push('');
    program.lines.push(...text.split('\n'));
  }
  return programs;
}

/** What the compiler says of the examples; empty when all is well. */
export function compileExamples(): string {
  const tsc = rootPath('node_modules/typescript/bin/tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', rootPath(FOLDER)], { encoding: 'utf8' });
  return `${stdout}${stderr}`;
}
