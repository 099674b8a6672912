import { closestName } from './closest-name.ts';
import { ENVIRONMENT_PREFIX } from './environment-name.ts';
import { type ConfigurationMember, configurationMembers, type JsonSchema } from './json-schema.ts';
import { ConfigurationError, expectation } from './problems.ts';

/** Names the configuration file where there is no `--config`. */
export const CONFIG_VARIABLE = `${ENVIRONMENT_PREFIX}CONFIG`;

/** What the environment says, in the form of a configuration file. */
export interface EnvironmentConfiguration {
  readonly json: Readonly<Record<string, unknown>>;
  /** `BULKHEAD_CONFIG`. */
  readonly configFile: string | undefined;
  /** The variable behind a path; undefined where the environment says nothing. */
  variableOf(path: readonly PropertyKey[]): string | undefined;
}

/**
 * Reads the variables whose names begin with `BULKHEAD_`. Values aren't checked beyond their form.
 * @throws ConfigurationError for a variable that nobody reads, and for a value that is no number, list and so on.
 */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): EnvironmentConfiguration {
  const given = Object.entries(environment).filter(([name, value]) => name.startsWith(ENVIRONMENT_PREFIX) && value !== undefined);
  const settings = given.filter(([name]) => name !== CONFIG_VARIABLE) as [string, string][];
  const json: Record<string, unknown> = {};
  if (settings.length === 0) return { json, configFile: environment[CONFIG_VARIABLE], variableOf: () => undefined };
  const members = new Map(configurationMembers().map((member) => [member.environment, member]));
  const problems: string[] = [];
  const variables = new Map<string, string>();
  for (const [name, text] of settings) {
    const member = members.get(name);
    if (member === undefined) {
      problems.push(unknownVariable(name, members));
      continue;
    }
    const value = fromText(text, member.schema);
    if (value === undefined) {
      problems.push(
        `${name}: ${member.path.includes('users') ? 'what is there' : JSON.stringify(text)}, expected ${expectation(member.schema)}`,
      );
      continue;
    }
    put(json, member.path, value);
    variables.set(member.path.join('.'), name);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    json,
    configFile: environment[CONFIG_VARIABLE],
    variableOf: (path) => path.map((_, at) => variables.get(path.slice(0, at + 1).join('.'))).find((name) => name !== undefined),
  };
}

function unknownVariable(name: string, members: ReadonlyMap<string | undefined, ConfigurationMember>): string {
  const names = [CONFIG_VARIABLE, ...members.keys()].filter((known) => known !== undefined);
  const close = closestName(name, names);
  return `${name}: no such variable${close === undefined ? '; docs/configuration.md has all of them' : `, did you mean ${close}?`}`;
}

/** @returns undefined for a text that isn't of this form. */
function fromText(text: string, schema: JsonSchema): unknown {
  if (schema.anyOf !== undefined) return /^-?\d+$/u.test(text) ? Number(text) : text;
  switch (schema.type) {
    case 'integer':
      return /^-?\d{1,16}$/u.test(text) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'array':
      if (!text.trimStart().startsWith('[') && schema.items?.type === 'string') return text.split(',').map((item) => item.trim());
      return fromJson(text);
    case 'object':
      return fromJson(text);
    default:
      return text;
  }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function put(json: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = json;
  for (const name of path.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as Record<string, unknown>;
  }
  at[path.at(-1) as string] = value;
}
