import { randomBytes } from 'node:crypto';
import type { Logger, Runtime } from '@bulkhead/contracts';
import { DateTime } from '@bulkhead/types';
import { TimerQueue } from './timer-queue.ts';

/** A logger that drops everything: a library is silent unless its host asks. */
export const silentLogger: Logger = {
  isEnabled: () => false,
  log: () => undefined,
};

/** A `Runtime` on Node's own clock, timers and event loop. */
export interface NodeRuntime extends Runtime {
  readonly timers: TimerQueue;
}

/** Makes the runtime of one server. Its timers end with `timers.clear()`. */
export function createNodeRuntime(log: Logger = silentLogger): NodeRuntime {
  const nowMs = (): number => performance.now();
  return {
    clock: { nowMs, utcNow: () => DateTime.fromUnixMs(Date.now(), 0) },
    timers: new TimerQueue(
      nowMs,
      (delayMs, run) => {
        const timeout = setTimeout(run, delayMs);
        return () => clearTimeout(timeout);
      },
      (error) => log.log('error', 'timer.failed', { error }),
    ),
    turns: { defer: (run) => void setImmediate(run) },
    random: { bytes: (byteCount) => randomBytes(byteCount) },
    log,
  };
}
