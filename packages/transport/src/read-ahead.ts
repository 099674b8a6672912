/** Counts requests that were read and not dispatched yet. Full at a limit, and drained again at half of it. */
export class ReadAhead {
  readonly #maxRequests: number;
  readonly #maxBytes: number;
  #requests = 0;
  #bytes = 0;

  constructor(maxRequests: number, maxBytes: number) {
    this.#maxRequests = maxRequests;
    this.#maxBytes = maxBytes;
  }

  add(messageBytes: number): void {
    this.#requests++;
    this.#bytes += messageBytes;
  }

  remove(messageBytes: number): void {
    this.#requests--;
    this.#bytes -= messageBytes;
  }

  get isFull(): boolean {
    return this.#requests >= this.#maxRequests || this.#bytes >= this.#maxBytes;
  }

  get isHalfDrained(): boolean {
    return this.#requests <= this.#maxRequests / 2 && this.#bytes <= this.#maxBytes / 2;
  }
}
