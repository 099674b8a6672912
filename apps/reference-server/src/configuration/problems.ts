import type { z } from 'zod';
import { closestName } from './closest-name.ts';
import { type JsonSchema, parserSchema } from './json-schema.ts';

/** A wrong configuration: what, where and what would be right. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  /** Everything that is wrong, one line each; `message` has all of them on one. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[], where = '') {
    const lines = [problems].flat().map((problem) => (where === '' ? problem : `${where}: ${problem}`));
    super(lines.length === 1 || where === '' ? lines.join('; ') : `${where}: ${[problems].flat().join('; ')}`);
    this.problems = lines;
  }
}

type Path = readonly PropertyKey[];

const MAX_SHOWN_LENGTH = 60;
/** Members whose values are never shown. */
const secretNames: ReadonlySet<unknown> = new Set(['password', 'passwordHash']);

/**
 * What is wrong with a configuration, a line for each problem: path, value, and what would be right.
 * @param spellingOf how the user has written a path, where that differs.
 */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  json: unknown,
  spellingOf: (path: Path) => string = pathText,
): string[] {
  return issues.flatMap((issue) => describeIssue(issue, json, spellingOf));
}

function describeIssue(issue: z.core.$ZodIssue, json: unknown, spellingOf: (path: Path) => string): string[] {
  const { path } = issue;
  const schema = schemaAt(parserSchema, path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${spellingOf([...path, key])}: no such option${hint(key, Object.keys(schema?.properties ?? {}))}`);
  }
  const where = path.length === 0 ? '(top)' : spellingOf(path);
  const value = valueAt(json, path);
  const expected = schema === undefined ? onOneLine(issue.message) : expectation(schema);
  if (value === undefined) return [`${where}: missing, expected ${expected}`];
  return [`${where}: ${shown(value, path)}, expected ${expected}`];
}

function hint(name: string, names: readonly string[]): string {
  const close = closestName(name, names);
  if (close !== undefined) return `, did you mean ${close}?`;
  return names.length === 0 ? '' : `, there are ${names.join(', ')}`;
}

/** `users[1].name`. */
export function pathText(path: Path): string {
  return path.map((name, at) => (typeof name === 'number' ? `[${name}]` : `${at === 0 ? '' : '.'}${String(name)}`)).join('');
}

/** What a member takes, in words. */
export function expectation(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(expectation).join(', or ');
  if (schema.const !== undefined) return `${schema.const}`;
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema;
  switch (schema.type) {
    case 'integer':
      if (minimum > Number.MIN_SAFE_INTEGER)
        return maximum < Number.MAX_SAFE_INTEGER ? `an integer from ${minimum} to ${maximum}` : `an integer >= ${minimum}`;
      return 'an integer';
    case 'boolean':
      return 'true or false';
    case 'string':
      return schema.maxLength === undefined ? 'a text' : `a text of ${schema.minLength ?? 0} to ${schema.maxLength} characters`;
    case 'array':
      return `a list${schema.minItems === undefined ? '' : ` of at least ${schema.minItems}`}${schema.maxItems === undefined ? '' : `, at most ${schema.maxItems}`}`;
    default:
      return 'an object';
  }
}

function shown(value: unknown, path: Path): string {
  if (path.some((name) => secretNames.has(name)) || (path[0] === 'users' && path.length < 3 && typeof value === 'string'))
    return 'what is there';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

/** The schema of what stands at that path. */
export function schemaAt(schema: JsonSchema | undefined, path: Path): JsonSchema | undefined {
  let at = schema;
  for (const name of path) {
    if (typeof name === 'number') at = at?.items;
    else if (at?.properties !== undefined) at = at.properties[String(name)];
    else at = typeof at?.additionalProperties === 'object' ? at.additionalProperties : undefined;
  }
  return at;
}

function valueAt(json: unknown, path: Path): unknown {
  let value = json;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[name];
  }
  return value;
}

export function onOneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}
