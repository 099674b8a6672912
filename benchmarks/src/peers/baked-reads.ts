import {
  BinaryWriter,
  createResponseHeader,
  DataValue,
  DateTime,
  encodeNodeId,
  NodeId,
  ReadRequest,
  ReadResponse,
  Variant,
} from '@bulkhead/types';
import { HEADER_BYTES } from '../client/plain-channel.ts';

export const CHANNEL_ID: number = 1;
export const TOKEN_ID: number = 1;
/** Behind the frame's header: type id (4), timestamp (8). */
const RESPONSE_HANDLE_OFFSET = HEADER_BYTES + 12;

/** Responses to Read, encoded once for each number of nodes. */
export class BakedReads {
  readonly #frames: Map<number, Buffer> = new Map();

  /** A whole MSG frame but for sequence number, request id and handle. */
  frame(nodeCount: number): Buffer {
    let frame = this.#frames.get(nodeCount);
    if (frame === undefined) {
      frame = bake(nodeCount);
      this.#frames.set(nodeCount, frame);
    }
    return frame;
  }
}

/** Fills in what differs from one response to the next. */
export function patchResponse(frame: Buffer, start: number, sequenceNumber: number, requestId: number, requestHandle: number): void {
  frame.writeUInt32LE(sequenceNumber, start + 16);
  frame.writeUInt32LE(requestId, start + 20);
  frame.writeUInt32LE(requestHandle, start + RESPONSE_HANDLE_OFFSET);
}

export function isRead(bytes: Buffer, start: number): boolean {
  return bytes[start + HEADER_BYTES] === 1 && bytes.readUInt16LE(start + HEADER_BYTES + 2) === ReadRequest.binaryEncodingId;
}

function bake(nodeCount: number): Buffer {
  const now = DateTime.fromUnixMs(Date.now());
  const value = new DataValue(Variant.double(1), 0, now, now);
  const writer = new BinaryWriter(Buffer.alloc(HEADER_BYTES), HEADER_BYTES);
  encodeNodeId(writer, NodeId.numeric(0, ReadResponse.binaryEncodingId));
  const results = Array.from({ length: nodeCount }, () => value);
  ReadResponse.encode(writer, { responseHeader: createResponseHeader({ timestamp: now }), results, diagnosticInfos: null });
  const frame = Buffer.from(writer.toBuffer());
  frame.write('MSGF', 0, 'latin1');
  frame.writeUInt32LE(frame.length, 4);
  frame.writeUInt32LE(CHANNEL_ID, 8);
  frame.writeUInt32LE(TOKEN_ID, 12);
  return frame;
}
