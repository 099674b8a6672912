import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import { BuiltInType } from '../built-in-type.ts';
import { DataValue } from '../data-value.ts';
import type { DateTime } from '../date-time.ts';
import type { DiagnosticInfo } from '../diagnostic-info.ts';
import type { ExpandedNodeId } from '../expanded-node-id.ts';
import type { ExtensionObject } from '../extension-object.ts';
import type { LocalizedText } from '../localized-text.ts';
import type { NodeId } from '../node-id.ts';
import type { QualifiedName } from '../qualified-name.ts';
import { DecodingError } from '../ua-status-error.ts';
import { type BuiltInValues, Variant } from '../variant.ts';
import { decodeDateTime, encodeDateTime } from './date-time-codec.ts';
import { decodeDiagnosticInfo, encodeDiagnosticInfo } from './diagnostic-info-codec.ts';
import { decodeExtensionObject, encodeExtensionObject } from './extension-object-codec.ts';
import { decodeGuid, encodeGuid } from './guid-codec.ts';
import { decodeExpandedNodeId, decodeNodeId, encodeExpandedNodeId, encodeNodeId } from './node-id-codec.ts';
import { decodeLocalizedText, decodeQualifiedName, encodeLocalizedText, encodeQualifiedName } from './text-codec.ts';

/** Bits of a Variant's encoding byte. OPC 10000-6 §5.2.2.16, Table 25. */
const TYPE_MASK = 0x3f;
const DIMENSIONS_FLAG = 0x40;
const ARRAY_FLAG = 0x80;

/** Fewest bytes of one element, by type id: what a claimed array length is checked against. */
const MIN_ELEMENT_BYTES: readonly number[] = [1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4, 8, 16, 4, 4, 2, 2, 4, 6, 1, 3, 1, 1, 1];

/** What is one byte on the wire mustn't become an object each. */
const NO_DIAGNOSTIC_INFO: DiagnosticInfo = Object.freeze({});
const NO_DATA_VALUE: DataValue = Object.freeze(new DataValue());

export function decodeVariant(reader: BinaryReader): Variant {
  const encoding = reader.readUInt8();
  if (encoding === 0) return Variant.NULL;
  const type = (encoding & TYPE_MASK) as BuiltInType;
  // Ids 26…31 are reserved and to be treated as ByteStrings by decoders (OPC 10000-6 §5.2.2.16).
  const known = type <= BuiltInType.DiagnosticInfo ? type : BuiltInType.ByteString;
  if (type > 31 || type === BuiltInType.Null) throw DecodingError.malformed(`Variant encoding byte ${encoding}`);
  if (!(encoding & ARRAY_FLAG)) {
    if (encoding & DIMENSIONS_FLAG) throw DecodingError.malformed('Variant with dimensions but no array');
    if (known === BuiltInType.Double) return Variant.double(reader.readDouble());
    return Variant.scalar(known, decodeScalar(reader, known) as never);
  }
  const length = reader.readArrayLength(MIN_ELEMENT_BYTES[known] as number);
  const values = length < 0 ? null : decodeElements(reader, known, length);
  if (!(encoding & DIMENSIONS_FLAG)) return Variant.array(known, values as never);
  return withDimensions(reader, known, values);
}

function decodeElements(reader: BinaryReader, type: BuiltInType, length: number): unknown[] {
  const values: unknown[] = new Array(length);
  for (let i = 0; i < length; i++) values[i] = decodeScalar(reader, type);
  return values;
}

/** Dimensions that don't multiply to the array's length, or are negative, make the Variant malformed. */
function withDimensions(reader: BinaryReader, type: BuiltInType, values: unknown[] | null): Variant {
  const count = reader.readArrayLength(4);
  const dimensions: number[] = [];
  let product = 1;
  for (let i = 0; i < count; i++) {
    const length = reader.readInt32();
    if (length < 0) throw DecodingError.malformed(`Variant dimension ${length}`);
    product *= length;
    dimensions.push(length);
  }
  if (count <= 0) return Variant.array(type, values as never);
  if (product !== (values?.length ?? 0)) throw DecodingError.malformed(`Variant dimensions ${dimensions.slice(0, 8).join('x')}`);
  return Variant.matrix(type, (values ?? []) as never, dimensions);
}

function decodeScalar(reader: BinaryReader, type: BuiltInType): unknown {
  switch (type) {
    case BuiltInType.Boolean:
      return reader.readBoolean();
    case BuiltInType.SByte:
      return reader.readInt8();
    case BuiltInType.Byte:
      return reader.readUInt8();
    case BuiltInType.Int16:
      return reader.readInt16();
    case BuiltInType.UInt16:
      return reader.readUInt16();
    case BuiltInType.Int32:
      return reader.readInt32();
    case BuiltInType.UInt32:
    case BuiltInType.StatusCode:
      return reader.readUInt32();
    case BuiltInType.Int64:
      return reader.readInt64();
    case BuiltInType.UInt64:
      return reader.readUInt64();
    case BuiltInType.Float:
      return reader.readFloat();
    case BuiltInType.Double:
      return reader.readDouble();
    case BuiltInType.String:
    case BuiltInType.XmlElement:
      return reader.readString();
    case BuiltInType.ByteString:
      return reader.readByteString();
    default:
      return decodeComplexScalar(reader, type);
  }
}

function decodeComplexScalar(reader: BinaryReader, type: BuiltInType): unknown {
  switch (type) {
    case BuiltInType.DateTime:
      return decodeDateTime(reader);
    case BuiltInType.Guid:
      return decodeGuid(reader);
    case BuiltInType.NodeId:
      return decodeNodeId(reader);
    case BuiltInType.ExpandedNodeId:
      return decodeExpandedNodeId(reader);
    case BuiltInType.QualifiedName:
      return decodeQualifiedName(reader);
    case BuiltInType.LocalizedText:
      return decodeLocalizedText(reader);
    case BuiltInType.ExtensionObject:
      return decodeExtensionObject(reader);
    case BuiltInType.DataValue:
      return nested(reader, decodeDataValue);
    case BuiltInType.Variant:
      return nested(reader, decodeVariant);
    case BuiltInType.DiagnosticInfo:
      return decodeDiagnosticInfo(reader) ?? NO_DIAGNOSTIC_INFO;
    default:
      throw DecodingError.malformed(`Variant type ${type}`);
  }
}

function nested<T>(reader: BinaryReader, decode: (reader: BinaryReader) => T): T {
  reader.enterNestingLevel();
  const value = decode(reader);
  reader.exitNestingLevel();
  return value;
}

export function encodeVariant(writer: BinaryWriter, variant: Variant): void {
  const type = variant.type;
  if (type === BuiltInType.Null) {
    writer.writeUInt8(0);
    return;
  }
  if (!variant.isArray) {
    writer.writeUInt8(type);
    encodeScalar(writer, type, variant.value);
    return;
  }
  const dimensions = variant.dimensions;
  writer.writeUInt8(type | ARRAY_FLAG | (dimensions ? DIMENSIONS_FLAG : 0));
  const values = variant.value as ArrayLike<unknown> | null;
  writer.writeArrayLength(values);
  if (values) for (let i = 0; i < values.length; i++) encodeScalar(writer, type, values[i]);
  if (!dimensions) return;
  writer.writeArrayLength(dimensions);
  for (const length of dimensions) writer.writeInt32(length);
}

function encodeScalar(writer: BinaryWriter, type: BuiltInType, value: unknown): void {
  switch (type) {
    case BuiltInType.Boolean:
      return writer.writeBoolean(value as boolean);
    case BuiltInType.SByte:
      return writer.writeInt8(value as number);
    case BuiltInType.Byte:
      return writer.writeUInt8(value as number);
    case BuiltInType.Int16:
      return writer.writeInt16(value as number);
    case BuiltInType.UInt16:
      return writer.writeUInt16(value as number);
    case BuiltInType.Int32:
      return writer.writeInt32(value as number);
    case BuiltInType.UInt32:
    case BuiltInType.StatusCode:
      return writer.writeUInt32(value as number);
    case BuiltInType.Int64:
      return writer.writeInt64(value as bigint);
    case BuiltInType.UInt64:
      return writer.writeUInt64(value as bigint);
    case BuiltInType.Float:
      return writer.writeFloat(value as number);
    case BuiltInType.Double:
      return writer.writeDouble(value as number);
    case BuiltInType.String:
    case BuiltInType.XmlElement:
      return writer.writeString(value as string | null);
    case BuiltInType.ByteString:
      return writer.writeByteString(value as Uint8Array | null);
    default:
      return encodeComplexScalar(writer, type, value);
  }
}

function encodeComplexScalar(writer: BinaryWriter, type: BuiltInType, value: unknown): void {
  switch (type) {
    case BuiltInType.DateTime:
      return encodeDateTime(writer, value as DateTime);
    case BuiltInType.Guid:
      return encodeGuid(writer, value as string);
    case BuiltInType.NodeId:
      return encodeNodeId(writer, value as NodeId);
    case BuiltInType.ExpandedNodeId:
      return encodeExpandedNodeId(writer, value as ExpandedNodeId);
    case BuiltInType.QualifiedName:
      return encodeQualifiedName(writer, value as QualifiedName);
    case BuiltInType.LocalizedText:
      return encodeLocalizedText(writer, value as LocalizedText);
    case BuiltInType.ExtensionObject:
      return encodeExtensionObject(writer, value as ExtensionObject);
    case BuiltInType.DataValue:
      return encodeDataValue(writer, value as DataValue);
    case BuiltInType.Variant:
      return encodeVariant(writer, value as Variant);
    default:
      return encodeDiagnosticInfo(writer, value as DiagnosticInfo);
  }
}

/** One value of a built-in type, without a Variant around it. @throws DecodingError */
export function decodeBuiltIn<T extends BuiltInType>(reader: BinaryReader, type: T): BuiltInValues[T] {
  if (type === BuiltInType.Variant) return decodeVariant(reader) as BuiltInValues[T];
  return decodeScalar(reader, type) as BuiltInValues[T];
}

/** One value of a built-in type, without a Variant around it. */
export function encodeBuiltIn<T extends BuiltInType>(writer: BinaryWriter, type: T, value: BuiltInValues[T]): void {
  encodeScalar(writer, type, value);
}

/** Bits of a DataValue's mask. OPC 10000-6 §5.2.2.17, Table 26. */
const HAS_VALUE = 0x01;
const HAS_STATUS = 0x02;
const HAS_SOURCE_TIMESTAMP = 0x04;
const HAS_SERVER_TIMESTAMP = 0x08;
const HAS_SOURCE_PICOSECONDS = 0x10;
const HAS_SERVER_PICOSECONDS = 0x20;

export function decodeDataValue(reader: BinaryReader): DataValue {
  const mask = reader.readUInt8();
  if (mask === 0) return NO_DATA_VALUE;
  if (mask > 0x3f) throw DecodingError.malformed(`DataValue mask ${mask}`);
  const value = mask & HAS_VALUE ? nested(reader, decodeVariant) : undefined;
  const statusCode = mask & HAS_STATUS ? reader.readUInt32() : 0;
  const sourceTimestamp = mask & HAS_SOURCE_TIMESTAMP ? decodeDateTime(reader) : undefined;
  const sourcePicoseconds = mask & HAS_SOURCE_PICOSECONDS ? reader.readUInt16() : 0;
  const serverTimestamp = mask & HAS_SERVER_TIMESTAMP ? decodeDateTime(reader) : undefined;
  const serverPicoseconds = mask & HAS_SERVER_PICOSECONDS ? reader.readUInt16() : 0;
  return new DataValue(value, statusCode, sourceTimestamp, serverTimestamp, sourcePicoseconds, serverPicoseconds);
}

export function encodeDataValue(writer: BinaryWriter, value: DataValue): void {
  writer.writeUInt8(
    (value.value !== undefined ? HAS_VALUE : 0) |
      (value.statusCode !== 0 ? HAS_STATUS : 0) |
      (value.sourceTimestamp !== undefined ? HAS_SOURCE_TIMESTAMP : 0) |
      (value.serverTimestamp !== undefined ? HAS_SERVER_TIMESTAMP : 0) |
      (value.sourcePicoseconds !== 0 ? HAS_SOURCE_PICOSECONDS : 0) |
      (value.serverPicoseconds !== 0 ? HAS_SERVER_PICOSECONDS : 0),
  );
  if (value.value !== undefined) encodeVariant(writer, value.value);
  if (value.statusCode !== 0) writer.writeUInt32(value.statusCode);
  if (value.sourceTimestamp !== undefined) encodeDateTime(writer, value.sourceTimestamp);
  if (value.sourcePicoseconds !== 0) writer.writeUInt16(value.sourcePicoseconds);
  if (value.serverTimestamp !== undefined) encodeDateTime(writer, value.serverTimestamp);
  if (value.serverPicoseconds !== 0) writer.writeUInt16(value.serverPicoseconds);
}
