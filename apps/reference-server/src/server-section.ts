import { serverSectionNames } from './configuration/file-schema.ts';
import { ConfigurationError } from './configuration/problems.ts';

/** A configuration file in one spelling, and how its author has spelled it. */
export interface PlainFile {
  readonly json: unknown;
  spellingOf(path: readonly PropertyKey[]): string | undefined;
}

const SECTION = 'OpcUa:Server';

/**
 * Moves what stands below `OpcUa:Server` to the top of the file. Keys there may be in PascalCase or camelCase.
 * @throws ConfigurationError for a key that is there twice or that nobody reads.
 */
export function liftServerSection(json: unknown): PlainFile {
  if (!isObject(json)) return { json, spellingOf: () => undefined };
  const { OpcUa, opcUa, ...rest } = json;
  if (OpcUa === undefined && opcUa === undefined) return { json, spellingOf: () => undefined };
  if (OpcUa !== undefined && opcUa !== undefined) throw new ConfigurationError('OpcUa: one spelling of the key is wanted, not opcUa too');
  const spellings = new Map<string, string>();
  const { server, ...others } = inCamelCase('OpcUa', OpcUa ?? opcUa, [], spellings);
  for (const name of Object.keys(others)) throw new ConfigurationError(`${spellings.get(name)}: no such option, there is OpcUa:Server`);
  const sections = server === undefined ? {} : (server as Record<string, unknown>);
  if (!isObject(sections)) throw new ConfigurationError(`${SECTION}: an object is wanted`);
  const known: ReadonlySet<string> = new Set(serverSectionNames);
  for (const name of Object.keys(sections)) {
    const spelled = spellings.get(`server.${name}`);
    if (!known.has(name)) throw new ConfigurationError(`${spelled}: no such option, there are ${serverSectionNames.join(', ')}`);
    if (Object.hasOwn(rest, name)) throw new ConfigurationError(`${spelled}: one place for the section is wanted, not ${name} too`);
  }
  return {
    json: { ...rest, ...sections },
    spellingOf: (path) => spelledPath(spellings, path),
  };
}

/** What isn't in the file, such as a missing member, is named as below its parent. */
function spelledPath(spellings: ReadonlyMap<string, string>, path: readonly PropertyKey[]): string | undefined {
  if (!(serverSectionNames as readonly unknown[]).includes(path[0])) return undefined;
  const known = spellings.get(['server', ...path].join('.'));
  if (known !== undefined) return known;
  const parent = spellings.get(['server', ...path.slice(0, -1)].join('.'));
  return parent === undefined ? undefined : `${parent}:${String(path.at(-1))}`;
}

function inCamelCase(where: string, json: unknown, path: readonly PropertyKey[], spellings: Map<string, string>): Record<string, unknown> {
  if (!isObject(json)) throw new ConfigurationError(`${where}: an object is wanted`);
  const entries: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(json)) {
    const name = key.charAt(0).toLowerCase() + key.slice(1);
    const spelled = `${where}:${key}`;
    if (Object.hasOwn(entries, name)) throw new ConfigurationError(`${spelled}: one spelling of the key is wanted`);
    spellings.set([...path, name].join('.'), spelled);
    entries[name] = valueInCamelCase(spelled, value, [...path, name], spellings);
  }
  return entries;
}

function valueInCamelCase(where: string, value: unknown, path: readonly PropertyKey[], spellings: Map<string, string>): unknown {
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => {
      spellings.set([...path, at].join('.'), `${where}:${at}`);
      return valueInCamelCase(`${where}:${at}`, item, [...path, at], spellings);
    });
  }
  return isObject(value) ? inCamelCase(where, value, path, spellings) : value;
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
