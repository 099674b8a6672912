import type { ClientConnection } from '../client/connection.ts';
import type { RequestBody } from '../client/message-body.ts';
import type { MessageChannel } from '../client/message-channel.ts';
import { HEADER_BYTES, PlainChannel } from '../client/plain-channel.ts';

/** Sends requests that were encoded beforehand, each known by its index ("slot"). */
export interface RequestSender {
  /** @param requestId also becomes the RequestHandle. */
  queue(slot: number, requestId: number): void;
  /** Sends what was queued. */
  flush(): void;
}

export function createSender(connection: ClientConnection, bodies: readonly RequestBody[]): RequestSender {
  const { channel } = connection;
  return channel instanceof PlainChannel ? new PlainSender(connection, channel, bodies) : new SealingSender(connection, channel, bodies);
}

/** Frames lie side by side in one buffer: slots queued in order are stamped in place and leave in one write, without a copy. */
class PlainSender implements RequestSender {
  readonly #connection: ClientConnection;
  readonly #channel: PlainChannel;
  readonly #frames: Buffer;
  /** Where each slot's frame starts; one more for the end of the last. */
  readonly #starts: number[];
  readonly #handleOffsets: number[];
  #firstSlot = 0;
  #endSlot = 0;

  constructor(connection: ClientConnection, channel: PlainChannel, bodies: readonly RequestBody[]) {
    this.#connection = connection;
    this.#channel = channel;
    const frames = bodies.map(({ bytes }) => channel.createFrame(bytes));
    this.#frames = Buffer.concat(frames);
    this.#starts = [0];
    for (const frame of frames) this.#starts.push((this.#starts.at(-1) as number) + frame.length);
    this.#handleOffsets = bodies.map(({ handleOffset }, slot) => (this.#starts[slot] as number) + HEADER_BYTES + handleOffset);
  }

  queue(slot: number, requestId: number): void {
    if (slot !== this.#endSlot) {
      this.flush();
      this.#firstSlot = slot;
    }
    this.#endSlot = slot + 1;
    this.#channel.stamp(this.#frames, this.#starts[slot] as number, requestId);
    this.#frames.writeUInt32LE(requestId, this.#handleOffsets[slot] as number);
  }

  flush(): void {
    if (this.#firstSlot === this.#endSlot) return;
    this.#connection.sendBytes(this.#frames.subarray(this.#starts[this.#firstSlot], this.#starts[this.#endSlot]));
    this.#firstSlot = this.#endSlot;
  }
}

/** For secured channels: each request is sealed anew, what was queued together leaves in one write. */
class SealingSender implements RequestSender {
  readonly #connection: ClientConnection;
  readonly #channel: MessageChannel;
  readonly #bodies: readonly RequestBody[];
  #chunks: Buffer[] = [];

  constructor(connection: ClientConnection, channel: MessageChannel, bodies: readonly RequestBody[]) {
    this.#connection = connection;
    this.#channel = channel;
    this.#bodies = bodies;
  }

  queue(slot: number, requestId: number): void {
    const { bytes, handleOffset } = this.#bodies[slot] as RequestBody;
    bytes.writeUInt32LE(requestId, handleOffset);
    this.#chunks.push(...this.#channel.encode(requestId, bytes));
  }

  flush(): void {
    if (this.#chunks.length === 0) return;
    this.#connection.send(this.#chunks);
    this.#chunks = [];
  }
}
