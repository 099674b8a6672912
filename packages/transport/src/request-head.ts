import { BinaryReader, DecodingError, decodeDateTime, decodeNodeId, decodeRequestHeader, type RequestHeader } from '@bulkhead/types';

/** What is known of a message before its body is decoded. */
export interface DecodedRequestHead {
  readonly kind: 'request';
  readonly typeId: number;
  readonly header: RequestHeader;
  readonly bodyStart: number;
}

/** A message without a readable RequestHeader. */
export interface UndecodableHead {
  readonly kind: 'undecodable';
  /** 0 when not even that can be read. */
  readonly requestHandle: number;
  readonly error: DecodingError;
}

/** Reads type id and RequestHeader; one for all connections of a server. */
export class RequestHeadDecoder {
  readonly #reader: BinaryReader = new BinaryReader(Buffer.alloc(0));

  decode(message: Buffer): DecodedRequestHead | UndecodableHead {
    const reader = this.#reader;
    reader.reset(message);
    try {
      const typeId = readTypeId(reader);
      const header = decodeRequestHeader(reader);
      return { kind: 'request', typeId, header, bodyStart: reader.length };
    } catch (error) {
      if (!(error instanceof DecodingError)) throw error;
      return { kind: 'undecodable', requestHandle: this.#requestHandle(message), error };
    } finally {
      // The reader must not keep the message alive.
      reader.reset(EMPTY);
    }
  }

  #requestHandle(message: Buffer): number {
    try {
      const reader = this.#reader;
      reader.reset(message);
      decodeNodeId(reader);
      decodeNodeId(reader);
      decodeDateTime(reader);
      return reader.readUInt32();
    } catch (error) {
      if (!(error instanceof DecodingError)) throw error;
      return 0;
    }
  }
}

const EMPTY: Buffer = Buffer.alloc(0);

/** @returns the numeric id in namespace 0; 0 for any other NodeId. */
function readTypeId(reader: BinaryReader): number {
  const nodeId = decodeNodeId(reader);
  return nodeId.namespaceIndex === 0 && typeof nodeId.identifier === 'number' ? nodeId.identifier : 0;
}
