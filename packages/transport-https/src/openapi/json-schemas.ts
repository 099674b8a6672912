import { BuiltInType, builtInTypeNames, type StructureField, type StructureType } from '@bulkhead/types';

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const integer = (minimum: number, maximum: number): JsonSchema => ({ type: 'integer', minimum, maximum });
const float: JsonSchema = { oneOf: [{ type: 'number' }, { enum: ['Infinity', '-Infinity', 'NaN'] }] };
const text = (description?: string): JsonSchema => ({ type: 'string', ...(description === undefined ? {} : { description }) });
const dateTime: JsonSchema = { type: 'string', format: 'date-time' };
const uaType = integer(0, 25);
const picoseconds = integer(0, 9999);
const dimensions: JsonSchema = { type: 'array', items: integer(0, 0xffffffff) };

const object = (properties: Readonly<Record<string, unknown>>): JsonSchema => ({ type: 'object', properties });

/** Built-in types that are no more than a value stand where they are used; the others are schemas of their own. OPC 10000-6 §5.4.2. */
const simple: ReadonlyMap<number, JsonSchema> = new Map<number, JsonSchema>([
  [BuiltInType.Boolean, { type: 'boolean' }],
  [BuiltInType.SByte, integer(-128, 127)],
  [BuiltInType.Byte, integer(0, 255)],
  [BuiltInType.Int16, integer(-32_768, 32_767)],
  [BuiltInType.UInt16, integer(0, 65_535)],
  [BuiltInType.Int32, integer(-0x80000000, 0x7fffffff)],
  [BuiltInType.UInt32, integer(0, 0xffffffff)],
  [BuiltInType.Int64, text('a 64-bit integer in decimal')],
  [BuiltInType.UInt64, text('a 64-bit integer without a sign in decimal')],
  [BuiltInType.Float, float],
  [BuiltInType.Double, float],
  [BuiltInType.String, { type: 'string' }],
  [BuiltInType.DateTime, dateTime],
  [BuiltInType.Guid, { type: 'string', format: 'uuid' }],
  [BuiltInType.ByteString, { type: 'string', contentEncoding: 'base64' }],
  [BuiltInType.XmlElement, { type: 'string' }],
]);

const named: ReadonlyMap<number, JsonSchema> = new Map<number, JsonSchema>([
  [BuiltInType.NodeId, text('such as i=2258, ns=1;s=Speed or nsu=http://example.org/;s=Speed')],
  [BuiltInType.ExpandedNodeId, text('a NodeId that may begin with svr=1; or svu=urn:server;')],
  [BuiltInType.QualifiedName, text('such as 1:Speed or nsu=http://example.org/;Speed')],
  [BuiltInType.StatusCode, object({ Code: integer(0, 0xffffffff), Symbol: text() })],
  [BuiltInType.LocalizedText, object({ Locale: text(), Text: text() })],
  [BuiltInType.ExtensionObject, object({ UaTypeId: reference('NodeId'), UaEncoding: integer(1, 2), UaBody: {} })],
  [BuiltInType.Variant, object({ UaType: uaType, Value: {}, Dimensions: dimensions })],
  [
    BuiltInType.DataValue,
    object({
      UaType: uaType,
      Value: {},
      Dimensions: dimensions,
      StatusCode: reference('StatusCode'),
      SourceTimestamp: dateTime,
      SourcePicoseconds: picoseconds,
      ServerTimestamp: dateTime,
      ServerPicoseconds: picoseconds,
    }),
  ],
  [
    BuiltInType.DiagnosticInfo,
    object({
      SymbolicId: integer(-1, 0x7fffffff),
      NamespaceUri: integer(-1, 0x7fffffff),
      Locale: integer(-1, 0x7fffffff),
      LocalizedText: integer(-1, 0x7fffffff),
      AdditionalInfo: text(),
      InnerStatusCode: reference('StatusCode'),
      InnerDiagnosticInfo: reference('DiagnosticInfo'),
    }),
  ],
]);

/** Built-in types that others are made of. */
const partsOf: ReadonlyMap<number, readonly number[]> = new Map<number, readonly number[]>([
  [BuiltInType.ExtensionObject, [BuiltInType.NodeId]],
  [BuiltInType.DataValue, [BuiltInType.StatusCode]],
  [BuiltInType.DiagnosticInfo, [BuiltInType.StatusCode]],
]);

export function schemaReference(name: string): JsonSchema {
  return reference(name);
}

/** Adds the schema of a built-in type, and of what it is made of, where they have names. */
export function builtInSchema(type: number, schemas: Map<string, JsonSchema>): void {
  const schema = named.get(type);
  const name = builtInTypeNames[type];
  if (schema === undefined || name === undefined || schemas.has(name)) return;
  schemas.set(name, schema);
  for (const part of partsOf.get(type) ?? []) builtInSchema(part, schemas);
}

/** A structure: no field is required, as those that have their default are left out. */
export function schemaOf(type: StructureType<unknown>): JsonSchema {
  return object(Object.fromEntries(type.fields.map((field) => [field.specName, fieldSchema(field)])));
}

function fieldSchema(field: StructureField): JsonSchema {
  const single = valueSchema(field);
  return field.isArray ? { type: 'array', items: single } : single;
}

function valueSchema({ type, structure, enumeration }: StructureField): JsonSchema {
  if (structure !== undefined) return reference(structure().name);
  if (enumeration !== undefined) return { ...(simple.get(type) ?? {}), description: enumeration };
  return simple.get(type) ?? reference(builtInTypeNames[type] ?? '');
}

function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
