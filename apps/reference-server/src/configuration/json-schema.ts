import { z } from 'zod';
import { environmentName } from './environment-name.ts';
import { fileSchema, serverSectionNames } from './file-schema.ts';
import { standardValues } from './standard-values.ts';

/** As much of a JSON Schema as is looked at here. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly $ref?: string;
  readonly unit?: string;
  readonly standard?: string;
}

/** A member of the file that can be set by itself. */
export interface ConfigurationMember {
  /** Names from the top of the file. */
  readonly path: readonly string[];
  /** Of the variable that sets it in the environment; none for what only files need. */
  readonly environment: string | undefined;
  readonly schema: JsonSchema;
  /** Undefined where it follows from other members; `schema.standard` says how. */
  readonly standard: unknown;
}

const NOT_IN_THE_ENVIRONMENT = '$schema';

/** The schema of a configuration file as its parser has it, before it is made ready for editors. */
export const parserSchema = z.toJSONSchema(fileSchema, { io: 'input', target: 'draft-7' }) as JsonSchema;

/** All members, in the order of the schema. Lists are one member each. */
export function configurationMembers(): readonly ConfigurationMember[] {
  return membersOf(parserSchema, [], standardValues());
}

function membersOf(schema: JsonSchema, path: readonly string[], standard: unknown): ConfigurationMember[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const memberPath = [...path, name];
    const value = member.standard === undefined ? valueIn(standard, name) : undefined;
    if (member.properties !== undefined && Object.keys(member.properties).length > 0) return membersOf(member, memberPath, value);
    const environment = name === NOT_IN_THE_ENVIRONMENT ? undefined : environmentName(memberPath);
    return [{ path: memberPath, environment, schema: member, standard: value }];
  });
}

/**
 * The JSON Schema of a configuration file (draft-07, which editors know), with defaults and descriptions for completion. Members of
 * `OpcUa` may be spelled with a capital letter.
 */
export function configurationJsonSchema(): object {
  const { properties = {}, ...rest } = readyForEditors(parserSchema, standardValues()) as { properties?: Record<string, object> };
  const server = {
    type: 'object',
    description: 'Sections as other OPC UA servers spell them; keys may begin with a capital letter.',
    additionalProperties: false,
    properties: Object.fromEntries(serverSectionNames.map((name) => [name, properties[name] as JsonSchema])),
  };
  const definitions: Record<string, JsonSchema> = {};
  const { properties: spelled } = eitherSpelling({ properties: { opcUa: opcUaSchema(server) } }, '', definitions);
  return {
    ...rest,
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration of a Bulkhead server',
    properties: { ...properties, ...spelled },
    definitions,
  };
}

function opcUaSchema(server: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: false, properties: { server } };
}

/** Units and defaults in words become part of the descriptions, which editors show. */
function readyForEditors(schema: JsonSchema, standard: unknown): JsonSchema {
  const { unit, standard: standardText, properties, items, description, ...rest } = schema;
  const value = standardText === undefined && properties === undefined ? standard : undefined;
  const notes = [description, unit && `Unit: ${unit}.`, standardText && `Default: ${standardText}.`].filter((note) => note !== undefined);
  return {
    ...rest,
    ...(notes.length === 0 ? {} : { description: notes.join(' ') }),
    ...(value === undefined || (typeof value === 'object' && !Array.isArray(value)) ? {} : { default: value }),
    ...(items === undefined ? {} : { items: readyForEditors(items, undefined) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, readyForEditors(member, valueIn(standard, name))]),
          ),
        }),
  };
}

/**
 * The same with a capital letter beside each small one.
 * @param definitions gets what would stand there twice, by its path.
 */
function eitherSpelling(schema: JsonSchema, path: string, definitions: Record<string, JsonSchema>): JsonSchema {
  const { properties, items, required, ...rest } = schema as JsonSchema & { readonly required?: readonly string[] };
  const members = Object.entries(properties ?? {}).flatMap(([name, member]): [string, JsonSchema][] => {
    const memberPath = path === '' ? name : `${path}.${name}`;
    const spelled = [name, capitalized(name)];
    if (member.properties === undefined && member.items?.properties === undefined) return spelled.map((spelling) => [spelling, member]);
    definitions[memberPath] = eitherSpelling(member, memberPath, definitions);
    return spelled.map((spelling) => [spelling, { $ref: `#/definitions/${memberPath}` }]);
  });
  return {
    ...rest,
    ...(items === undefined ? {} : { items: eitherSpelling(items, path, definitions) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(members) }),
    ...(required === undefined
      ? {}
      : { allOf: required.map((name) => ({ anyOf: [{ required: [name] }, { required: [capitalized(name)] }] })) }),
  };
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function valueIn(values: unknown, name: string): unknown {
  return typeof values === 'object' && values !== null ? (values as Record<string, unknown>)[name] : undefined;
}
