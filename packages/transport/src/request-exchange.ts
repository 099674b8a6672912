import type { OutgoingResponseHeader } from '@bulkhead/contracts';
import { ExtensionObject, type ResponseType, ServiceFault, type StatusCode } from '@bulkhead/types';
import type { ConnectionEnvironment } from './connection-environment.ts';
import { ReadAhead } from './read-ahead.ts';
import { ReadBlocker, type ReadGate } from './read-gate.ts';
import type { ServerChannel } from './server-channel.ts';
import { type RequestOrigin, UacpRequest } from './uacp-request.ts';
import type { WriteQueue } from './write-queue.ts';

/** What the exchange tells its connection. */
export interface ExchangeEvents {
  /** Responses went to the transport. */
  onWritten(): void;
  /** More bytes are unsent than allowed. */
  onUnsentLimit(): void;
}

/** Requests up and responses down, on one open channel. */
export class RequestExchange implements RequestOrigin {
  readonly #environment: ConnectionEnvironment;
  readonly #channel: ServerChannel;
  readonly #writes: WriteQueue;
  readonly #gate: ReadGate;
  readonly #events: ExchangeEvents;
  readonly #readAhead: ReadAhead;
  #unansweredRequests = 0;
  #isFlushRequested = false;
  #isClosed = false;

  constructor(environment: ConnectionEnvironment, channel: ServerChannel, writes: WriteQueue, gate: ReadGate, events: ExchangeEvents) {
    const { maxReadAheadRequests, maxReadAheadBytes } = environment.limits;
    this.#environment = environment;
    this.#channel = channel;
    this.#writes = writes;
    this.#gate = gate;
    this.#events = events;
    this.#readAhead = new ReadAhead(maxReadAheadRequests, maxReadAheadBytes);
  }

  get hasUnansweredRequests(): boolean {
    return this.#unansweredRequests > 0;
  }

  /** Bytes that the peer's side has not taken yet, with those that wait behind a renewal. */
  get unsentBytes(): number {
    return this.#writes.unsentBytes + this.#channel.heldBytes;
  }

  /** Hands a message to the server; one without a readable header is answered at once. */
  submit(requestId: number, message: Buffer): void {
    const { headDecoder, runtime, sink } = this.#environment;
    const head = headDecoder.decode(message);
    if (head.kind === 'undecodable') return this.#answerUndecodable(requestId, head.requestHandle, head.error.statusCode);
    this.#readAhead.add(message.length);
    this.#unansweredRequests++;
    if (this.#readAhead.isFull) this.#gate.block(ReadBlocker.ReadAhead);
    sink.submit(new UacpRequest(this, this.#channel, requestId, head, message, runtime.clock.nowMs()));
  }

  sendResponse(requestId: number, type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): void {
    if (this.#isClosed) return;
    const { responseWriter, limits } = this.#environment;
    const limitBytes = maxBytes === 0 ? limits.maxMessageSize : Math.min(limits.maxMessageSize, maxBytes);
    responseWriter.prepare(type, header, body);
    try {
      this.#writes.push(this.#channel.encodeMessage(requestId, responseWriter.write, limitBytes));
    } finally {
      responseWriter.clear();
    }
    this.#requestFlush();
    this.checkUnsent();
  }

  /** Call after something was queued: a peer that doesn't take it is paced, or cut off. */
  checkUnsent(): void {
    if (this.unsentBytes > this.#environment.limits.pacedUnsentBytes) this.#limitUnsent();
  }

  requestAnswered(): void {
    this.#unansweredRequests--;
  }

  requestLeftQueue(messageBytes: number): void {
    this.#readAhead.remove(messageBytes);
    if (this.#readAhead.isHalfDrained && !this.#isClosed) this.#gate.unblock(ReadBlocker.ReadAhead);
  }

  /** The peer takes responses again. */
  unpace(): void {
    if (!this.#gate.has(ReadBlocker.Paced)) return;
    this.#gate.unblock(ReadBlocker.Paced);
    this.#environment.sink.channelHeldBack(this.#channel, false);
  }

  /** Later responses are dropped. */
  close(): void {
    this.#isClosed = true;
  }

  #answerUndecodable(requestId: number, requestHandle: number, serviceResult: StatusCode): void {
    const header: OutgoingResponseHeader = {
      requestHandle,
      serviceResult,
      serviceDiagnostics: null,
      stringTable: null,
      additionalHeader: ExtensionObject.NULL,
    };
    this.sendResponse(requestId, ServiceFault, header, {}, 0);
  }

  #requestFlush(): void {
    if (this.#isFlushRequested) return;
    this.#isFlushRequested = true;
    this.#environment.sink.onTurnEnd(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isFlushRequested = false;
    if (this.#isClosed) return;
    this.#writes.flush();
    this.#events.onWritten();
  };

  #limitUnsent(): void {
    const { pacedUnsentBytes, maxUnsentBytes } = this.#environment.limits;
    // What the transport takes at once is not the peer's fault.
    this.#writes.flush();
    this.#events.onWritten();
    if (this.#isClosed) return;
    const { unsentBytes } = this;
    if (unsentBytes > maxUnsentBytes) {
      this.close();
      // Not at once: the caller is in the middle of a request that this would end.
      this.#environment.runtime.turns.defer(() => this.#events.onUnsentLimit());
    } else if (unsentBytes > pacedUnsentBytes) {
      if (this.#gate.has(ReadBlocker.Paced)) return;
      this.#gate.block(ReadBlocker.Paced);
      this.#gate.settle();
      this.#environment.sink.channelHeldBack(this.#channel, true);
    }
  }
}
