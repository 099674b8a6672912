import { describe, expect, it } from 'vitest';
import {
  allStructureTypes,
  encodeJson,
  type JsonContext,
  type JsonFlavour,
  type JsonSchema,
  jsonSchemaDefinitions,
  jsonSchemaOf,
  ReadRequest,
  type StructureType,
} from '../src/index.ts';
import { randomStructure, seededRandom } from './random-structure.ts';

const context: JsonContext = { namespaceUris: ['http://opcfoundation.org/UA/', 'urn:test:server'], serverUris: ['urn:test:server'] };
const flavours: readonly JsonFlavour[] = ['compact', 'verbose'];

type Definitions = Readonly<Record<string, JsonSchema>>;

/** What doesn't fit, by the keywords that these schemas use. */
function mismatch(schema: JsonSchema, value: unknown, definitions: Definitions, path = '$'): string | undefined {
  for (const [keyword, argument] of Object.entries(schema)) {
    const problem = check(keyword, argument, value, definitions, path);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function check(keyword: string, argument: unknown, value: unknown, definitions: Definitions, path: string): string | undefined {
  const object = value as Record<string, unknown>;
  const fails = (isRight: boolean): string | undefined => (isRight ? undefined : `${path}: ${JSON.stringify(value)} against ${keyword}`);
  switch (keyword) {
    case '$ref': {
      const definition = definitions[String(argument).replace('#/$defs/', '')];
      return definition === undefined ? `${path}: no ${String(argument)}` : mismatch(definition, value, definitions, path);
    }
    case 'type':
      return fails(typeOf(value) === argument || (argument === 'number' && typeof value === 'number'));
    case 'anyOf':
      return fails((argument as JsonSchema[]).some((schema) => mismatch(schema, value, definitions, path) === undefined));
    case 'enum':
      return fails((argument as unknown[]).includes(value));
    case 'const':
      return fails(argument === value);
    case 'minimum':
      return fails((value as number) >= (argument as number));
    case 'maximum':
      return fails((value as number) <= (argument as number));
    case 'pattern':
      return fails(new RegExp(String(argument), 'u').test(value as string));
    case 'maxProperties':
      return fails(Object.keys(object).length <= (argument as number));
    case 'required':
      return fails((argument as string[]).every((name) => Object.hasOwn(object, name)));
    case 'items':
      return (value as unknown[]).map((item, i) => mismatch(argument as JsonSchema, item, definitions, `${path}[${i}]`)).find(Boolean);
    case 'properties':
      return Object.entries(argument as Definitions)
        .filter(([name]) => Object.hasOwn(object, name))
        .map(([name, schema]) => mismatch(schema, object[name], definitions, `${path}.${name}`))
        .find(Boolean);
    case 'format':
      return fails(argument === 'uuid' ? /^[0-9a-f-]{36}$/u.test(String(value)) : !Number.isNaN(Date.parse(String(value))));
    case 'title':
    case 'examples':
    case 'contentEncoding':
      return undefined;
    default:
      throw new Error(`unknown keyword ${keyword}`);
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** Every name that a schema allows in its objects, by definition. */
function propertyNames(definition: JsonSchema | undefined): string[] {
  return Object.keys((definition?.['properties'] as object | undefined) ?? {});
}

describe('JSON Schemas (OPC 10000-6 Annex G)', () => {
  it.each(flavours)('describe what every generated structure is in %s JSON', (flavour) => {
    const random = seededRandom(0x5c4e3a);
    const definitions = jsonSchemaDefinitions(allStructureTypes(), flavour);
    for (const type of allStructureTypes()) {
      for (let round = 0; round < 6; round++) {
        const value = round === 0 ? type.create() : randomStructure(type, random);
        const json: unknown = JSON.parse(JSON.stringify(encodeJson(type, value, flavour, context)));
        expect(mismatch({ $ref: `#/$defs/${type.name}` }, json, definitions), type.name).toBeUndefined();
        const allowed = propertyNames(definitions[type.name]);
        expect(Object.keys(json as object).filter((name) => !allowed.includes(name))).toEqual([]);
      }
    }
  });

  it('don’t take what is something else', () => {
    const definitions = jsonSchemaDefinitions([ReadRequest as StructureType<unknown>], 'compact');
    for (const json of [
      5,
      { MaxAge: '5' },
      { NodesToRead: {} },
      { NodesToRead: [{ AttributeId: -1 }] },
      { NodesToRead: [{ NodeId: 'x' }] },
    ]) {
      expect(mismatch({ $ref: '#/$defs/ReadRequest' }, json, definitions)).toBeDefined();
    }
    const verbose = jsonSchemaDefinitions([ReadRequest as StructureType<unknown>], 'verbose');
    expect(mismatch({ $ref: '#/$defs/ReadRequest' }, {}, verbose)).toContain('required');
  });

  it('hold all that one structure refers to and nothing else', () => {
    const schema = jsonSchemaOf(ReadRequest as StructureType<unknown>, 'compact');
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', $ref: '#/$defs/ReadRequest' });
    expect(Object.keys(schema['$defs'] as object)).toEqual(
      [
        'ByteString',
        'DateTime',
        'Double',
        'ExtensionObject',
        'NodeId',
        'QualifiedName',
        'ReadRequest',
        'ReadValueId',
        'RequestHeader',
      ].concat('TimestampsToReturn'),
    );
  });

  it.each(flavours)('refer to nothing that is missing, under the prefix of an OpenAPI document too (%s)', (flavour) => {
    const definitions = jsonSchemaDefinitions(allStructureTypes(), flavour, '#/components/schemas/');
    const references = [...JSON.stringify(definitions).matchAll(/"\$ref":"([^"]+)"/gu)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(500);
    for (const reference of new Set(references)) {
      expect(reference).toMatch(/^#\/components\/schemas\//u);
      expect(definitions[reference.replace('#/components/schemas/', '')], reference).toBeDefined();
    }
  });
});
