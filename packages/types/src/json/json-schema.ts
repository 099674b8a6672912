import { BuiltInType, builtInTypeNames } from '../built-in-type.ts';
import type { StructureField, StructureType } from '../structure-type.ts';
import type { JsonFlavour } from './json-context.ts';
import { isNullable } from './json-encoder.ts';
import { literals } from './json-structures.ts';

/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 takes as it is. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The schema of one structure with all that it refers to in `$defs`. OPC 10000-6 Annex G. */
export function jsonSchemaOf(type: StructureType<unknown>, flavour: JsonFlavour): JsonSchema {
  return { $schema: DIALECT, $ref: `#/$defs/${type.name}`, $defs: jsonSchemaDefinitions([type], flavour) };
}

/**
 * Schemas of structures and of everything that they refer to, by name: `$defs`, or the `components.schemas` of an OpenAPI
 * document. They describe what encoders write; decoders also take nulls, and leave out what is missing.
 * @param refPrefix what the references to them start with.
 */
export function jsonSchemaDefinitions(
  types: readonly StructureType<unknown>[],
  flavour: JsonFlavour,
  refPrefix = '#/$defs/',
): Record<string, JsonSchema> {
  const definitions = new SchemaDefinitions(flavour, refPrefix);
  for (const type of types) definitions.structure(type);
  return definitions.all();
}

class SchemaDefinitions {
  readonly #isVerbose: boolean;
  readonly #refPrefix: string;
  readonly #byName = new Map<string, JsonSchema>();

  constructor(flavour: JsonFlavour, refPrefix: string) {
    this.#isVerbose = flavour === 'verbose';
    this.#refPrefix = refPrefix;
  }

  /** Sorted, so that a document doesn't depend on the order of its making. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  structure(type: StructureType<unknown>): JsonSchema {
    return this.#define(type.name, () => this.#structureSchema(type));
  }

  #structureSchema(type: StructureType<unknown>): JsonSchema {
    const isUnion = type.kind === 'union';
    const properties: Record<string, JsonSchema> = {};
    if (isUnion && !this.#isVerbose) properties['SwitchField'] = { type: 'integer', minimum: 1, maximum: type.fields.length };
    if (type.kind === 'optionalFields' && !this.#isVerbose) properties['EncodingMask'] = integer(0, 0xffff_ffff);
    const required: string[] = [];
    for (const field of type.fields) {
      properties[field.specName] = this.#field(field);
      if (this.#isVerbose && !isUnion && field.optional !== true) required.push(field.specName);
    }
    return {
      type: 'object',
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(isUnion ? { maxProperties: this.#isVerbose ? 1 : 2 } : {}),
    };
  }

  #field(field: StructureField): JsonSchema {
    if (!field.isArray) {
      // A null ExtensionObject is an empty object; a structure in place is never null.
      const canBeNull = field.structure === undefined && field.type !== BuiltInType.ExtensionObject && field.enumeration === undefined;
      const schema = this.#element(field);
      return this.#isVerbose && canBeNull && isNullable(field.type) ? orNull(schema) : schema;
    }
    const elementsCanBeNull = field.structure === undefined && field.enumeration === undefined && isNullable(field.type);
    const array: JsonSchema = { type: 'array', items: elementsCanBeNull ? orNull(this.#element(field)) : this.#element(field) };
    const schema = field.dimensionCount === undefined ? array : matrix(array, field.dimensionCount);
    return this.#isVerbose ? orNull(schema) : schema;
  }

  #element(field: StructureField): JsonSchema {
    if (field.structure !== undefined) return this.structure(field.structure());
    if (field.enumeration !== undefined) return this.#enumeration(field.enumeration);
    return this.#builtIn(field.type);
  }

  #enumeration(name: string): JsonSchema {
    const names = literals(name);
    if (names === undefined) return this.#isVerbose ? { type: 'string', pattern: '^(.*_)?-?[0-9]+$' } : int32();
    return this.#define(name, () =>
      this.#isVerbose
        ? { type: 'string', anyOf: [{ enum: [...names].map(([value, literal]) => `${literal}_${value}`) }, { pattern: '^-?[0-9]+$' }] }
        : { ...int32(), anyOf: [...[...names].map(([value, title]) => ({ title, const: value })), {}] },
    );
  }

  #builtIn(type: BuiltInType): JsonSchema {
    const name = builtInTypeNames[type] ?? '';
    switch (type) {
      case BuiltInType.Null:
        return { type: 'null' };
      case BuiltInType.Boolean:
        return { type: 'boolean' };
      case BuiltInType.SByte:
        return integer(-0x80, 0x7f);
      case BuiltInType.Byte:
        return integer(0, 0xff);
      case BuiltInType.Int16:
        return integer(-0x8000, 0x7fff);
      case BuiltInType.UInt16:
        return integer(0, 0xffff);
      case BuiltInType.Int32:
        return int32();
      case BuiltInType.UInt32:
        return integer(0, 0xffff_ffff);
      case BuiltInType.String:
      case BuiltInType.XmlElement:
        return { type: 'string' };
      default:
        return this.#define(name, () => this.#builtInSchema(type));
    }
  }

  #builtInSchema(type: BuiltInType): JsonSchema {
    switch (type) {
      case BuiltInType.Int64:
        return { type: 'string', pattern: '^-?[0-9]{1,19}$' };
      case BuiltInType.UInt64:
        return { type: 'string', pattern: '^[0-9]{1,20}$' };
      case BuiltInType.Float:
      case BuiltInType.Double:
        return { anyOf: [{ type: 'number' }, { enum: ['Infinity', '-Infinity', 'NaN'] }] };
      case BuiltInType.DateTime:
        return { type: 'string', format: 'date-time' };
      case BuiltInType.Guid:
        return { type: 'string', format: 'uuid' };
      case BuiltInType.ByteString:
        return { type: 'string', contentEncoding: 'base64' };
      case BuiltInType.NodeId:
        return {
          type: 'string',
          pattern: '^(ns=[0-9]{1,5};|nsu=[^;]*;)?[isgb]=',
          examples: ['i=2253', 'nsu=http://example.org/UA/;s=Pump'],
        };
      case BuiltInType.ExpandedNodeId:
        return { type: 'string', pattern: '^(svr=[0-9]{1,10};|svu=[^;]*;)?(ns=[0-9]{1,5};|nsu=[^;]*;)?[isgb]=' };
      case BuiltInType.QualifiedName:
        return { type: 'string', examples: ['Server', 'nsu=http://example.org/UA/;Pump'] };
      case BuiltInType.StatusCode:
        return this.#object({ Code: integer(0, 0xffff_ffff), ...(this.#isVerbose ? { Symbol: { type: 'string' } } : {}) });
      case BuiltInType.LocalizedText:
        return this.#object({ Locale: { type: 'string' }, Text: { type: 'string' } });
      case BuiltInType.ExtensionObject:
        return this.#object({
          UaTypeId: this.#builtIn(BuiltInType.NodeId),
          UaEncoding: { enum: [1, 2] },
          UaBody: this.#builtIn(BuiltInType.ByteString),
        });
      case BuiltInType.Variant:
        return this.#object(variantProperties());
      case BuiltInType.DataValue:
        return this.#object({
          ...variantProperties(),
          Status: this.#builtIn(BuiltInType.StatusCode),
          SourceTimestamp: this.#builtIn(BuiltInType.DateTime),
          SourcePicoseconds: integer(0, 9999),
          ServerTimestamp: this.#builtIn(BuiltInType.DateTime),
          ServerPicoseconds: integer(0, 9999),
        });
      default:
        return this.#object({
          SymbolicId: int32(),
          NamespaceUri: int32(),
          Locale: int32(),
          LocalizedText: int32(),
          AdditionalInfo: { type: 'string' },
          InnerStatusCode: this.#builtIn(BuiltInType.StatusCode),
          InnerDiagnosticInfo: this.#builtIn(BuiltInType.DiagnosticInfo),
        });
    }
  }

  #object(properties: Record<string, JsonSchema>): JsonSchema {
    return { type: 'object', properties };
  }

  /** A reference to a definition, which is made once; the place is taken first, as types may contain themselves. */
  #define(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.#byName.has(name)) {
      this.#byName.set(name, {});
      this.#byName.set(name, make());
    }
    return { $ref: `${this.#refPrefix}${name}` };
  }
}

function variantProperties(): Record<string, JsonSchema> {
  return { UaType: integer(0, BuiltInType.DiagnosticInfo), Value: {}, Dimensions: { type: 'array', items: integer(0, 0xffff_ffff) } };
}

/** OPC 10000-6 §5.4.5. */
function matrix(array: JsonSchema, dimensionCount: number): JsonSchema {
  const dimensions = { type: 'array', items: integer(0, 0xffff_ffff), minItems: dimensionCount, maxItems: dimensionCount };
  return { type: 'object', properties: { Array: array, Dimensions: dimensions }, required: ['Array', 'Dimensions'] };
}

function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

function integer(minimum: number, maximum: number): JsonSchema {
  return { type: 'integer', minimum, maximum };
}

function int32(): JsonSchema {
  return integer(-0x8000_0000, 0x7fff_ffff);
}
