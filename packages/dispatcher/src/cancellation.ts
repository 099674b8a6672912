import { type StatusCode, UaStatusError } from '@bulkhead/types';

/** Makes an AbortSignal only when somebody asks for it. */
export class Cancellation {
  #controller: AbortController | undefined = undefined;
  #code: StatusCode | undefined = undefined;

  /** Aborted at once when the cancellation came first. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#code !== undefined) this.#controller.abort(reason(this.#code));
    }
    return this.#controller.signal;
  }

  /** Idempotent; the first code stays. The signal's reason is a UaStatusError with that code. */
  cancel(code: StatusCode): void {
    if (this.#code !== undefined) return;
    this.#code = code;
    this.#controller?.abort(reason(code));
  }
}

function reason(code: StatusCode): UaStatusError {
  return new UaStatusError(code, 'the request was cancelled');
}
