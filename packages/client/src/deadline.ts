import type { Timers } from '@bulkhead/contracts';
import { StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * Runs `run` with a signal that is aborted after `timeoutMs`, or when `signal` is.
 * @param what is named in the error, `BadTimeout`, that the signal's reason then is.
 */
export async function withDeadline<T>(
  timers: Timers,
  timeoutMs: number,
  what: string,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(abortError(signal as AbortSignal));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = timers.after(timeoutMs, () => {
    controller.abort(new UaStatusError(StatusCodes.BadTimeout, `${what}: not done within ${timeoutMs} ms`));
  });
  try {
    return await run(controller.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

/** What a request whose signal was aborted fails with: the reason if that is an error with a StatusCode. */
export function abortError(signal: AbortSignal): UaStatusError {
  const reason: unknown = signal.reason;
  if (reason instanceof UaStatusError) return reason;
  return new UaStatusError(StatusCodes.BadRequestCancelledByClient, 'aborted', { cause: reason });
}

/** Waits; ends early when the signal is aborted. @throws UaStatusError as `abortError`. */
export function delay(timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortError(signal));
    const onAbort = (): void => {
      timer.cancel();
      reject(abortError(signal));
    };
    const timer = timers.after(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
