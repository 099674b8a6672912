import { readdirSync, readFileSync } from 'node:fs';
import { isBad, type StatusCode, StatusCodes } from '@bulkhead/types';
import { rootPath } from './markdown.ts';

/** Packages that are no part of a server. */
const NOT_SERVER: ReadonlySet<string> = new Set(['client', 'testkit']);

/** Bad StatusCodes that the sources of a server name, each with the files that do. */
export function codesInSources(): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>();
  for (const name of readdirSync(rootPath('packages'))) {
    if (!NOT_SERVER.has(name)) for (const path of sourcesBelow(`packages/${name}/src`)) note(path, files);
  }
  return files;
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(rootPath(folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return entry.name === 'generated' ? [] : sourcesBelow(`${folder}/${entry.name}`);
    return entry.name.endsWith('.ts') ? [`${folder}/${entry.name}`] : [];
  });
}

function note(path: string, files: Map<string, string[]>): void {
  const text = readFileSync(rootPath(path), 'utf8');
  const names = [...text.matchAll(/\bStatusCodes\.(?<name>Bad\w+)/gu)].map(({ groups }) => groups?.['name'] as string);
  // The package of the codes themselves says them by number.
  const numbers = [...text.matchAll(/\bBAD_[A-Z_]+ = (?<code>0x80[\dA-F]{6})\b/giu)].map(({ groups }) => nameOf(Number(groups?.['code'])));
  for (const name of new Set([...names, ...numbers])) files.set(name, [...(files.get(name) ?? []), path]);
}

function nameOf(code: StatusCode): string {
  const name = Object.entries(StatusCodes).find(([, value]) => value === code && isBad(value))?.[0];
  if (name === undefined) throw new Error(`no StatusCode is 0x${code.toString(16)}`);
  return name;
}
