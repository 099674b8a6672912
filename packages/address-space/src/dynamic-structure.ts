import {
  type BinaryReader,
  type BinaryWriter,
  BuiltInType,
  DateTime,
  decodeBuiltIn,
  ExpandedNodeId,
  ExtensionObject,
  encodeBuiltIn,
  LocalizedText,
  NodeId,
  NULL_GUID,
  QualifiedName,
  StatusCodes,
  type StructureField,
  type StructureType,
  UaStatusError,
  Variant,
} from '@bulkhead/types';

/** A structure's value: fields by the names of its definition. A union has one field only. */
export type StructureValue = Record<string, unknown>;

/** One field, resolved against the address space. */
export interface DynamicField {
  readonly name: string;
  readonly builtInType: BuiltInType;
  /** Set for concrete structures: encoded in place, without an ExtensionObject around it. */
  readonly structure: (() => StructureType<unknown>) | undefined;
  readonly isEnumeration: boolean;
  /** -1 scalar, 1 array, 2 and more: matrix as nested arrays. */
  readonly valueRank: number;
  readonly isOptional: boolean;
}

/** What a DataType's definition says. */
export interface DynamicStructureInfo {
  readonly name: string;
  /** The DataType's NodeId. */
  readonly dataTypeNodeId: NodeId;
  readonly binaryEncodingNodeId: NodeId;
  readonly kind: 'structure' | 'optionalFields' | 'union';
  readonly fields: readonly DynamicField[];
}

/** A codec for a structure known only from its definition. OPC 10000-6 §5.2.6 … §5.2.8. */
export function createDynamicStructure(info: DynamicStructureInfo): StructureType<StructureValue> {
  return {
    name: info.name,
    dataTypeId: 0,
    binaryEncodingId: 0,
    xmlEncodingId: 0,
    jsonEncodingId: 0,
    dataTypeNodeId: info.dataTypeNodeId,
    binaryEncodingNodeId: info.binaryEncodingNodeId,
    kind: info.kind,
    fields: info.fields.map(describe),
    encode: (writer, value) => encodeStructure(writer, info, value),
    decode: (reader) => decodeStructure(reader, info),
    create: (init) => createValue(info, init),
  };
}

function describe(field: DynamicField): StructureField {
  return {
    name: field.name,
    specName: field.name,
    type: field.builtInType,
    ...(field.structure === undefined ? {} : { structure: field.structure as () => StructureType<never> }),
    ...(field.isEnumeration ? { enumeration: '' } : {}),
    isArray: field.valueRank >= 1,
    ...(field.valueRank > 1 ? { dimensionCount: field.valueRank } : {}),
    ...(field.isOptional ? { optional: true } : {}),
  };
}

function encodeStructure(writer: BinaryWriter, info: DynamicStructureInfo, value: StructureValue): void {
  if (info.kind === 'union') {
    const index = info.fields.findIndex((field) => value[field.name] !== undefined);
    writer.writeUInt32(index + 1);
    const field = info.fields[index];
    if (field !== undefined) encodeField(writer, field, value[field.name]);
    return;
  }
  if (info.kind === 'optionalFields') writer.writeUInt32(presentFields(info, value));
  for (const field of info.fields) {
    const fieldValue = value[field.name];
    if (field.isOptional && info.kind === 'optionalFields' && fieldValue === undefined) continue;
    encodeField(writer, field, fieldValue);
  }
}

function presentFields(info: DynamicStructureInfo, value: StructureValue): number {
  let mask = 0;
  let bit = 1;
  for (const field of info.fields) {
    if (!field.isOptional) continue;
    if (value[field.name] !== undefined) mask |= bit;
    bit *= 2;
  }
  return mask >>> 0;
}

function encodeField(writer: BinaryWriter, field: DynamicField, value: unknown): void {
  if (field.valueRank < 1) {
    encodeElement(writer, field, value ?? defaultOf(field));
    return;
  }
  if (field.valueRank > 1) {
    const dimensions = dimensionsOf(value, field.valueRank);
    writer.writeArrayLength(dimensions);
    for (const length of dimensions) writer.writeInt32(length);
    for (const element of flatten(value, field.valueRank)) encodeElement(writer, field, element);
    return;
  }
  const elements = value as ArrayLike<unknown> | null | undefined;
  writer.writeArrayLength(elements);
  if (elements) for (let i = 0; i < elements.length; i++) encodeElement(writer, field, elements[i]);
}

function encodeElement(writer: BinaryWriter, field: DynamicField, value: unknown): void {
  if (field.structure !== undefined) field.structure().encode(writer, value);
  else encodeBuiltIn(writer, field.builtInType, value as never);
}

function decodeStructure(reader: BinaryReader, info: DynamicStructureInfo): StructureValue {
  const value: StructureValue = {};
  // A definition may contain itself; the nesting limit ends hostile bytes.
  reader.enterNestingLevel();
  if (info.kind === 'union') {
    const selected = reader.readUInt32();
    const field = info.fields[selected - 1];
    if (selected !== 0 && field === undefined) throw new UaStatusError(StatusCodes.BadDecodingError, `${info.name}: no field ${selected}`);
    if (field !== undefined) value[field.name] = decodeField(reader, field);
  } else {
    let mask = info.kind === 'optionalFields' ? reader.readUInt32() : 0;
    for (const field of info.fields) {
      const isPresent = !(field.isOptional && info.kind === 'optionalFields') || (mask & 1) === 1;
      if (field.isOptional) mask >>>= 1;
      if (isPresent) value[field.name] = decodeField(reader, field);
    }
  }
  reader.exitNestingLevel();
  return value;
}

function decodeField(reader: BinaryReader, field: DynamicField): unknown {
  if (field.valueRank < 1) return decodeElement(reader, field);
  if (field.valueRank > 1) return decodeMatrix(reader, field);
  const length = reader.readArrayLength(1);
  return length < 0 ? null : decodeElements(reader, field, length);
}

function decodeElements(reader: BinaryReader, field: DynamicField, length: number): unknown[] {
  const elements: unknown[] = [];
  for (let i = 0; i < length; i++) elements.push(decodeElement(reader, field));
  return elements;
}

function decodeMatrix(reader: BinaryReader, field: DynamicField): unknown {
  const dimensionCount = reader.readArrayLength(4);
  if (dimensionCount < 0) return null;
  const dimensions: number[] = [];
  let count = 1;
  for (let i = 0; i < dimensionCount; i++) {
    const length = Math.max(0, reader.readInt32());
    dimensions.push(length);
    count *= length;
  }
  // Same rule as for arrays: each element has at least one byte.
  if (count > reader.remaining) throw new UaStatusError(StatusCodes.BadDecodingError, `matrix of ${count} elements`);
  return nest(decodeElements(reader, field, count), dimensions);
}

function decodeElement(reader: BinaryReader, field: DynamicField): unknown {
  return field.structure === undefined ? decodeBuiltIn(reader, field.builtInType) : field.structure().decode(reader);
}

function createValue(info: DynamicStructureInfo, init: StructureValue | undefined): StructureValue {
  const value: StructureValue = {};
  for (const field of info.fields) {
    const given = init?.[field.name];
    if (given !== undefined) value[field.name] = createFieldValue(field, given);
    else if (info.kind === 'structure' || (info.kind === 'optionalFields' && !field.isOptional)) value[field.name] = defaultOf(field);
  }
  return value;
}

function createFieldValue(field: DynamicField, given: unknown): unknown {
  const structure = field.structure?.();
  if (structure === undefined) return given;
  if (field.valueRank < 1) return structure.create(given as never);
  return Array.isArray(given) && field.valueRank === 1 ? given.map((element) => structure.create(element as never)) : given;
}

function defaultOf(field: DynamicField): unknown {
  if (field.valueRank >= 1) return null;
  return field.structure === undefined ? defaultOfBuiltIn(field.builtInType) : field.structure().create();
}

/** Zero, false, empty or null, as OPC 10000-6 §5.1 has it for each built-in type. */
export function defaultOfBuiltIn(type: BuiltInType): unknown {
  switch (type) {
    case BuiltInType.Boolean:
      return false;
    case BuiltInType.Int64:
    case BuiltInType.UInt64:
      return 0n;
    case BuiltInType.String:
    case BuiltInType.XmlElement:
    case BuiltInType.ByteString:
      return null;
    case BuiltInType.DateTime:
      return DateTime.MIN;
    case BuiltInType.Guid:
      return NULL_GUID;
    case BuiltInType.NodeId:
      return NodeId.NULL;
    case BuiltInType.ExpandedNodeId:
      return ExpandedNodeId.NULL;
    case BuiltInType.QualifiedName:
      return QualifiedName.NULL;
    case BuiltInType.LocalizedText:
      return LocalizedText.NULL;
    case BuiltInType.ExtensionObject:
      return ExtensionObject.NULL;
    case BuiltInType.Variant:
      return Variant.NULL;
    default:
      return 0;
  }
}

/** Lengths of nested arrays, outermost first. */
export function dimensionsOf(value: unknown, rank: number): number[] {
  const dimensions: number[] = [];
  let level = value;
  for (let i = 0; i < rank; i++) {
    if (!Array.isArray(level) && !ArrayBuffer.isView(level)) {
      dimensions.push(0);
      continue;
    }
    const list = level as ArrayLike<unknown>;
    dimensions.push(list.length);
    level = list[0];
  }
  return dimensions;
}

/** The elements of nested arrays, last dimension fastest. */
export function flatten(value: unknown, rank: number): unknown[] {
  if (value === null || value === undefined) return [];
  if (rank === 1) return Array.from(value as ArrayLike<unknown>);
  return (value as unknown[]).flatMap((inner) => flatten(inner, rank - 1));
}

/** Nested arrays of flat elements. */
export function nest(elements: readonly unknown[], dimensions: readonly number[]): unknown {
  const [length = 0, ...inner] = dimensions;
  if (inner.length === 0) return elements;
  const size = inner.reduce((product, next) => product * next, 1);
  return Array.from({ length }, (_, i) => nest(elements.slice(i * size, (i + 1) * size), inner));
}
