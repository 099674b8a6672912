import { ModuleSource } from './module-source.ts';
import type { StatusCodeModel } from './schema-model.ts';

/** The codes by name, and a lookup of name and description by code that costs nothing until it is used. */
export function emitStatusCodes(codes: readonly StatusCodeModel[], origin: string): ModuleSource[] {
  return [emitCodes(codes, origin), emitTexts(codes, origin)];
}

function emitCodes(codes: readonly StatusCodeModel[], origin: string): ModuleSource {
  const module = new ModuleSource('status-codes.ts', origin);
  module.add('/** StatusCodes by name. OPC 10000-4 §7.39, OPC 10000-6 Annex A.2. */', 'export const StatusCodes = {');
  for (const { name, code, description } of codes) module.add(`  /** ${comment(description)} */`, `  ${name}: ${hex(code)},`);
  module.add('} as const;');
  return module;
}

function emitTexts(codes: readonly StatusCodeModel[], origin: string): ModuleSource {
  const module = new ModuleSource('status-code-texts.ts', origin);
  module.importType('../status-code.ts', 'StatusCode');
  module.add(
    '/** What the specification says about a StatusCode. */',
    'export interface StatusCodeEntry {',
    '  readonly name: string;',
    '  readonly description: string;',
    '}',
    '',
    '/** The entry of a code, its flag and info bits left aside; undefined for a code that is not in the specification. */',
    'export function statusCodeEntry(code: StatusCode): StatusCodeEntry | undefined {',
    '  entries ??= buildEntries();',
    '  return entries.get((code & 0xffff0000) >>> 0);',
    '}',
    '',
    '// Built on first use: most processes never ask for a text.',
    'let entries: ReadonlyMap<number, StatusCodeEntry> | undefined;',
    '',
    'function buildEntries(): ReadonlyMap<number, StatusCodeEntry> {',
    '  return new Map([',
    ...codes.map(({ name, code, description }) => `    [${hex(code)}, { name: ${quote(name)}, description: ${quote(description)} }],`),
    '  ]);',
    '}',
  );
  return module;
}

function hex(code: number): string {
  return `0x${code.toString(16).padStart(8, '0')}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function comment(text: string): string {
  return text.replaceAll('*/', '* /');
}
