import type { Timer, Timers } from '@bulkhead/contracts';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { abortError } from '../deadline.ts';

interface PendingRequest<Message> {
  readonly resolve: (message: Message) => void;
  readonly reject: (error: UaStatusError) => void;
  readonly timer: Timer;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: (() => void) | undefined;
}

/** Requests on their way, by RequestId; at most `maxInFlight`. Each ends with its response, its timeout, its signal, or all together. */
export class PendingRequests<Message = Buffer> {
  readonly #timers: Timers;
  readonly #maxInFlight: number;
  readonly #requests = new Map<number, PendingRequest<Message>>();

  constructor(timers: Timers, maxInFlight: number) {
    this.#timers = timers;
    this.#maxInFlight = maxInFlight;
  }

  get size(): number {
    return this.#requests.size;
  }

  has(requestId: number): boolean {
    return this.#requests.has(requestId);
  }

  /** @throws UaStatusError BadResourceUnavailable when as many as allowed are on their way; what `signal` was aborted with. */
  check(signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw abortError(signal);
    if (this.#requests.size < this.#maxInFlight) return;
    throw new UaStatusError(StatusCodes.BadResourceUnavailable, `${this.#maxInFlight} requests are on their way already`);
  }

  /** @returns the whole response message. */
  add(requestId: number, timeoutMs: number, signal: AbortSignal | undefined): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = this.#timers.after(timeoutMs, () => {
        this.fail(requestId, new UaStatusError(StatusCodes.BadTimeout, `no response within ${timeoutMs} ms`));
      });
      const onAbort = signal && ((): void => this.fail(requestId, abortError(signal)));
      if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
      this.#requests.set(requestId, { resolve, reject, timer, signal, onAbort });
    });
  }

  /** A response came; one that nobody waits for any more is dropped. */
  settle(requestId: number, message: Message): void {
    this.#take(requestId)?.resolve(message);
  }

  fail(requestId: number, error: UaStatusError): void {
    this.#take(requestId)?.reject(error);
  }

  failAll(error: UaStatusError): void {
    for (const requestId of [...this.#requests.keys()]) this.fail(requestId, error);
  }

  #take(requestId: number): PendingRequest<Message> | undefined {
    const request = this.#requests.get(requestId);
    if (request === undefined) return undefined;
    this.#requests.delete(requestId);
    request.timer.cancel();
    if (request.onAbort) request.signal?.removeEventListener('abort', request.onAbort);
    return request;
  }
}
