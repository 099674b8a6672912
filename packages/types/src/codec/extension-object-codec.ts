import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import { ExtensionObject } from '../extension-object.ts';
import { DecodingError } from '../ua-status-error.ts';
import { decodeNodeId, encodeNodeId } from './node-id-codec.ts';

/** Encoding byte of an ExtensionObject. OPC 10000-6 §5.2.2.15, Table 24. */
const NO_BODY = 0;
const BINARY_BODY = 1;
const XML_BODY = 2;

/** Keeps the body as bytes; see ADR 0003. A body counts as one level of nesting for whatever is decoded from it later. */
export function decodeExtensionObject(reader: BinaryReader): ExtensionObject {
  const typeId = decodeNodeId(reader);
  const encoding = reader.readUInt8();
  switch (encoding) {
    case NO_BODY:
      return typeId.isNull ? ExtensionObject.NULL : new ExtensionObject(typeId, undefined);
    case BINARY_BODY: {
      reader.enterNestingLevel();
      const body = reader.readByteString() ?? undefined;
      const value = new ExtensionObject(typeId, body, undefined, undefined, reader.limits, reader.nestingLevel);
      reader.exitNestingLevel();
      return value;
    }
    case XML_BODY:
      return new ExtensionObject(typeId, reader.readString() ?? '');
    default:
      throw DecodingError.malformed(`ExtensionObject encoding byte ${encoding}`);
  }
}

export function encodeExtensionObject(writer: BinaryWriter, value: ExtensionObject): void {
  encodeNodeId(writer, value.typeId);
  const content = value.content;
  if (content !== undefined) {
    writer.writeUInt8(BINARY_BODY);
    const lengthAt = writer.reserveUInt32();
    content.type.encode(writer, content.value);
    writer.patchUInt32(lengthAt, writer.length - lengthAt - 4);
  } else if (value.body === undefined) {
    writer.writeUInt8(NO_BODY);
  } else if (typeof value.body === 'string') {
    writer.writeUInt8(XML_BODY);
    writer.writeString(value.body);
  } else {
    writer.writeUInt8(BINARY_BODY);
    writer.writeByteString(value.body);
  }
}
