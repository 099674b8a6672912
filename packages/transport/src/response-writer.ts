import type { Clock, OutgoingResponseHeader } from '@bulkhead/contracts';
import {
  type BinaryWriter,
  encodeDateTime,
  encodeDiagnosticInfo,
  encodeExtensionObject,
  encodeNodeId,
  encodeStringArray,
  NodeId,
  type ResponseType,
} from '@bulkhead/types';

/** Encodes responses, one at a time. One for all connections of a server, so that no response needs a closure. */
export class ResponseWriter {
  readonly #clock: Clock;
  readonly #typeIds: Map<number, NodeId> = new Map();
  #type: ResponseType<unknown> | undefined;
  #header: OutgoingResponseHeader | undefined;
  #body: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Says what `write` writes next. */
  prepare(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown): void {
    this.#type = type;
    this.#header = header;
    this.#body = body;
  }

  /** Forgets what was prepared. */
  clear(): void {
    this.#type = undefined;
    this.#header = undefined;
    this.#body = undefined;
  }

  readonly write = (writer: BinaryWriter): void => {
    const type = this.#type;
    const header = this.#header;
    if (type === undefined || header === undefined) throw new Error('no response was prepared');
    encodeNodeId(writer, this.#typeId(type.binaryEncodingId));
    encodeDateTime(writer, this.#clock.utcNow());
    writer.writeUInt32(header.requestHandle);
    writer.writeUInt32(header.serviceResult);
    encodeDiagnosticInfo(writer, header.serviceDiagnostics);
    encodeStringArray(writer, header.stringTable);
    encodeExtensionObject(writer, header.additionalHeader);
    type.encodeBody(writer, this.#body as object);
  };

  /** There are as many entries as response types. */
  #typeId(id: number): NodeId {
    let typeId = this.#typeIds.get(id);
    if (typeId === undefined) this.#typeIds.set(id, (typeId = NodeId.numeric(0, id)));
    return typeId;
  }
}
