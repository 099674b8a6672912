import { type PublishResponse, type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';

/** A PublishResponse without its header. */
export type PublishBody = Omit<PublishResponse, 'responseHeader'>;

/** A Publish request that waits. Settled exactly once. */
export class QueuedPublish {
  /** Results of its acknowledgements. */
  readonly results: readonly StatusCode[];
  readonly promise: Promise<PublishBody>;
  readonly #signal: AbortSignal;
  readonly #onAbort: () => void;
  #resolve!: (body: PublishBody) => void;
  #reject!: (error: unknown) => void;

  constructor(results: readonly StatusCode[], signal: AbortSignal, onAbort: (request: QueuedPublish) => void) {
    this.results = results;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#signal = signal;
    this.#onAbort = () => onAbort(this);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  resolve(body: PublishBody): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#resolve(body);
  }

  reject(error: unknown): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#reject(error);
  }
}

/**
 * The Publish requests of one Session that wait for something to report, oldest first. Bounded: one too many answers the oldest
 * with BadTooManyPublishRequests. OPC 10000-4 §5.14.5.
 */
export class PublishQueue {
  readonly #waiting: QueuedPublish[] = [];
  readonly #maxLength: number;
  readonly #onAbort: (request: QueuedPublish) => void;

  /** @param maxLength >= 1. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
    this.#onAbort = (request) => this.#abort(request);
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** @param signal aborted when the request is cancelled, times out or loses its channel: it leaves the queue then. */
  add(results: readonly StatusCode[], signal: AbortSignal): Promise<PublishBody> {
    const request = new QueuedPublish(results, signal, this.#onAbort);
    if (this.#waiting.length >= this.#maxLength) {
      this.take()?.reject(new UaStatusError(StatusCodes.BadTooManyPublishRequests, `more than ${this.#maxLength} Publish requests wait`));
    }
    this.#waiting.push(request);
    return request.promise;
  }

  /** Takes the oldest request. */
  take(): QueuedPublish | undefined {
    return this.#waiting.shift();
  }

  /** Ends every waiting request with that StatusCode. */
  rejectAll(statusCode: StatusCode, message: string): void {
    for (const request of this.#waiting.splice(0)) request.reject(new UaStatusError(statusCode, message));
  }

  #abort(request: QueuedPublish): void {
    const index = this.#waiting.indexOf(request);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    request.reject(abandoned());
  }
}

/** What a Publish request is answered with whose signal is aborted, should anybody still listen. */
export function abandoned(): UaStatusError {
  return new UaStatusError(StatusCodes.BadTimeout, 'the Publish request was given up while it waited');
}
