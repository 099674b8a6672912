import type { MessageSink } from '../client/connection.ts';
import type { RequestBody } from '../client/message-body.ts';
import type { ClientSession } from '../client/session.ts';
import { LatencyHistogram } from '../latency-histogram.ts';
import { failureSignal, type Load } from './load.ts';
import { createSender, type RequestSender } from './request-sender.ts';

export interface RequestLoadOptions {
  /** Encoded requests, sent in turn; at least `depth`. */
  readonly bodies: readonly RequestBody[];
  /** Requests in flight. */
  readonly depth: number;
  /** Binary encoding id of the response. */
  readonly responseTypeId: number;
  /** Looks at every value of a response. @throws Error when something is wrong with it. */
  readonly verify: (bytes: Buffer, start: number, end: number) => void;
  /** One of so many responses is verified; the others are only recognised as good. */
  readonly verifyEvery: number;
}

/** Bytes of a response that are always looked at: type id (4), timestamp (8), RequestHandle (4), ServiceResult (4). */
const CHECKED_BYTES = 20;
const FOUR_BYTE_NODE_ID = 1;

/** Keeps `depth` requests in flight in one Session. */
export class RequestLoad implements Load, MessageSink {
  readonly latency: LatencyHistogram = new LatencyHistogram();
  readonly failed: Promise<never>;
  readonly #fail: (error: Error) => void;
  readonly #session: ClientSession;
  readonly #options: RequestLoadOptions;
  readonly #sender: RequestSender;
  readonly #slotCount: number;
  /** Request id in flight by slot; 0 when the slot is free. */
  readonly #requestIds: Uint32Array;
  readonly #sentAtMs: Float64Array;
  #nextSlot = 0;
  #round = 0;
  #inFlight = 0;
  #answered = 0;
  #answeredAtReset = 0;
  #nowMs = 0;
  #onDrained: (() => void) | undefined;

  constructor(session: ClientSession, options: RequestLoadOptions) {
    ({ failed: this.failed, fail: this.#fail } = failureSignal());
    this.#session = session;
    this.#options = options;
    this.#slotCount = options.bodies.length;
    if (this.#slotCount < options.depth) throw new RangeError('fewer requests than the depth');
    this.#requestIds = new Uint32Array(this.#slotCount);
    this.#sentAtMs = new Float64Array(this.#slotCount);
    this.#sender = createSender(session.connection, options.bodies);
    session.connection.attach(this);
    this.#fill();
  }

  get count(): number {
    return this.#answered - this.#answeredAtReset;
  }

  reset(): void {
    this.#answeredAtReset = this.#answered;
    this.latency.clear();
  }

  async stop(): Promise<void> {
    if (this.#inFlight > 0) {
      const drained = new Promise<void>((resolve) => {
        this.#onDrained = resolve;
      });
      await Promise.race([drained, this.failed]);
    }
    await this.#session.close();
  }

  onMessage = (requestId: number, bytes: Buffer, start: number, end: number): void => {
    const slot = (requestId - 1) % this.#slotCount;
    if (this.#requestIds[slot] !== requestId) throw new Error(`an answer to request ${requestId}, which is not in flight`);
    this.#check(requestId, bytes, start, end);
    this.#requestIds[slot] = 0;
    this.#inFlight--;
    this.#answered++;
    if (this.#nowMs === 0) this.#nowMs = performance.now();
    this.latency.record(this.#nowMs - (this.#sentAtMs[slot] as number));
  };

  onReadEnd(): void {
    this.#nowMs = 0;
    if (this.#onDrained === undefined) this.#fill();
    else if (this.#inFlight === 0) this.#onDrained();
  }

  onFailed(error: Error): void {
    this.#fail(error);
  }

  #fill(): void {
    const nowMs = performance.now();
    while (this.#inFlight < this.#options.depth) {
      const slot = this.#takeSlot();
      const requestId = this.#round * this.#slotCount + slot + 1;
      this.#requestIds[slot] = requestId;
      this.#sentAtMs[slot] = nowMs;
      this.#inFlight++;
      this.#sender.queue(slot, requestId);
    }
    this.#sender.flush();
  }

  /** The next free slot; answers may come in any order. */
  #takeSlot(): number {
    for (;;) {
      const slot = this.#nextSlot++;
      if (this.#nextSlot === this.#slotCount) {
        this.#nextSlot = 0;
        this.#round++;
      }
      if (this.#requestIds[slot] === 0) return slot;
    }
  }

  #check(requestId: number, bytes: Buffer, start: number, end: number): void {
    const { responseTypeId, verify, verifyEvery } = this.#options;
    const isRecognised =
      end - start >= CHECKED_BYTES &&
      bytes[start] === FOUR_BYTE_NODE_ID &&
      bytes[start + 1] === 0 &&
      bytes.readUInt16LE(start + 2) === responseTypeId &&
      bytes.readUInt32LE(start + 12) === requestId &&
      bytes.readUInt32LE(start + 16) === 0;
    // Whatever looks unusual is decoded, and named if it is wrong.
    if (!isRecognised || this.#answered % verifyEvery === 0) verify(bytes, start, end);
  }
}
