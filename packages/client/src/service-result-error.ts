import { type StatusCode, statusCodeEntry, UaStatusError } from '@bulkhead/types';

/** What a server answered instead of a result, with its wish when to try again. */
export class ServiceResultError extends UaStatusError {
  override readonly name: string = 'ServiceResultError';
  /** Whole milliseconds, >= 0; undefined when the server said nothing. */
  readonly retryAfterMs: number | undefined;

  constructor(statusCode: StatusCode, message: string, retryAfterMs?: number, options?: ErrorOptions) {
    super(statusCode, message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The wish of a server that an error carries. */
export function retryAfterMsOf(error: unknown): number | undefined {
  return error instanceof ServiceResultError ? error.retryAfterMs : undefined;
}

/** A StatusCode by its name, for messages. */
export function statusText(statusCode: StatusCode): string {
  return statusCodeEntry(statusCode)?.name ?? `0x${statusCode.toString(16).padStart(8, '0')}`;
}
