import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import { ExpandedNodeId } from '../expanded-node-id.ts';
import { IdentifierType, NodeId } from '../node-id.ts';
import { DecodingError } from '../ua-status-error.ts';
import { decodeGuid, encodeGuid } from './guid-codec.ts';

/** Encoding bytes of a NodeId. OPC 10000-6 §5.2.2.9, Table 16. */
const TWO_BYTE = 0;
const FOUR_BYTE = 1;
const NUMERIC = 2;
const STRING = 3;
const GUID = 4;
const BYTE_STRING = 5;
/** Flags of an ExpandedNodeId. OPC 10000-6 §5.2.2.10. */
const SERVER_INDEX_FLAG = 0x40;
const NAMESPACE_URI_FLAG = 0x80;

export function decodeNodeId(reader: BinaryReader): NodeId {
  return decodeIdentifier(reader, reader.readUInt8());
}

function decodeIdentifier(reader: BinaryReader, encoding: number): NodeId {
  switch (encoding) {
    case TWO_BYTE:
      return NodeId.numeric(0, reader.readUInt8());
    case FOUR_BYTE: {
      const namespaceIndex = reader.readUInt8();
      return NodeId.numeric(namespaceIndex, reader.readUInt16());
    }
    case NUMERIC: {
      const namespaceIndex = reader.readUInt16();
      return NodeId.numeric(namespaceIndex, reader.readUInt32());
    }
    case STRING: {
      const namespaceIndex = reader.readUInt16();
      return NodeId.string(namespaceIndex, reader.readRepeatedString() ?? '');
    }
    case GUID: {
      const namespaceIndex = reader.readUInt16();
      return NodeId.guid(namespaceIndex, decodeGuid(reader));
    }
    case BYTE_STRING: {
      const namespaceIndex = reader.readUInt16();
      return NodeId.opaque(namespaceIndex, reader.readByteString() ?? Buffer.alloc(0));
    }
    default:
      throw DecodingError.malformed(`NodeId encoding byte ${encoding}`);
  }
}

export function encodeNodeId(writer: BinaryWriter, value: NodeId): void {
  encodeIdentifier(writer, value, 0);
}

function encodeIdentifier(writer: BinaryWriter, value: NodeId, flags: number): void {
  const namespaceIndex = value.namespaceIndex;
  switch (value.identifierType) {
    case IdentifierType.Numeric:
      encodeNumeric(writer, namespaceIndex, value.identifier as number, flags);
      break;
    case IdentifierType.String:
      writer.writeUInt8(STRING | flags);
      writer.writeUInt16(namespaceIndex);
      writer.writeString(value.identifier as string);
      break;
    case IdentifierType.Guid:
      writer.writeUInt8(GUID | flags);
      writer.writeUInt16(namespaceIndex);
      encodeGuid(writer, value.identifier as string);
      break;
    default:
      writer.writeUInt8(BYTE_STRING | flags);
      writer.writeUInt16(namespaceIndex);
      writer.writeByteString(value.identifier as Uint8Array);
  }
}

function encodeNumeric(writer: BinaryWriter, namespaceIndex: number, identifier: number, flags: number): void {
  if (namespaceIndex === 0 && identifier <= 0xff) {
    writer.writeUInt8(TWO_BYTE | flags);
    writer.writeUInt8(identifier);
  } else if (namespaceIndex <= 0xff && identifier <= 0xffff) {
    writer.writeUInt8(FOUR_BYTE | flags);
    writer.writeUInt8(namespaceIndex);
    writer.writeUInt16(identifier);
  } else {
    writer.writeUInt8(NUMERIC | flags);
    writer.writeUInt16(namespaceIndex);
    writer.writeUInt32(identifier);
  }
}

export function decodeExpandedNodeId(reader: BinaryReader): ExpandedNodeId {
  const encoding = reader.readUInt8();
  const nodeId = decodeIdentifier(reader, encoding & 0x3f);
  const namespaceUri = encoding & NAMESPACE_URI_FLAG ? (reader.readString() ?? undefined) : undefined;
  const serverIndex = encoding & SERVER_INDEX_FLAG ? reader.readUInt32() : 0;
  return new ExpandedNodeId(nodeId, namespaceUri, serverIndex);
}

export function encodeExpandedNodeId(writer: BinaryWriter, value: ExpandedNodeId): void {
  const hasUri = value.namespaceUri !== undefined;
  const flags = (hasUri ? NAMESPACE_URI_FLAG : 0) | (value.serverIndex !== 0 ? SERVER_INDEX_FLAG : 0);
  encodeIdentifier(writer, value.nodeId, flags);
  if (hasUri) writer.writeString(value.namespaceUri as string);
  if (value.serverIndex !== 0) writer.writeUInt32(value.serverIndex);
}
