import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of code. */
export interface CodeBlock {
  readonly language: string;
  readonly text: string;
  /** Of the first line of code, counted from 1. */
  readonly line: number;
}

/** One row of a table: the text of its cells, marks for code removed. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly line: number;
}

/** A table, and the heading that it stands below. */
export interface Table {
  readonly heading: string;
  readonly titles: readonly string[];
  readonly rows: readonly TableRow[];
}

/** A document, split into what tests look at. */
export interface MarkdownDocument {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly CodeBlock[];
  readonly tables: readonly Table[];
}

/** Paths, from the root of the repository, of the documents whose examples have to work. */
export function documentPaths(): readonly string[] {
  const pages = readdirSync(`${ROOT}/docs`).filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.toSorted().map((name) => `docs/${name}`)];
}

export function rootPath(path: string): string {
  return `${ROOT}${path}`;
}

export function readDocument(path: string): MarkdownDocument {
  const text = readFileSync(rootPath(path), 'utf8');
  return { path: relative(ROOT, rootPath(path)), text, ...split(text.split('\n')) };
}

function split(lines: readonly string[]): Pick<MarkdownDocument, 'blocks' | 'tables'> {
  const blocks: CodeBlock[] = [];
  const tables: Table[] = [];
  let heading = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line.startsWith('```')) {
      const end = lines.indexOf('```', at + 1);
      if (end < 0) throw new Error(`line ${at + 1}: this block of code doesn't end`);
      blocks.push({ language: line.slice(3).trim(), text: lines.slice(at + 1, end).join('\n'), line: at + 2 });
      at = end;
    } else if (line.startsWith('#')) heading = line.replace(/^#+ /u, '');
    else if (line.startsWith('|')) {
      let end = at;
      while (lines[end]?.startsWith('|')) end++;
      const rows = lines.slice(at, end).map((row, offset) => ({ cells: cellsOf(row), line: at + offset + 1 }));
      tables.push({ heading, titles: rows[0]?.cells ?? [], rows: rows.slice(2) });
      at = end - 1;
    }
  }
  return { blocks, tables };
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/gu, '')
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim().replaceAll('`', ''));
}
