import type { Logger, Runtime } from '@bulkhead/contracts';
import { randomNonce } from '@bulkhead/security';
import { DateTime } from '@bulkhead/types';

/** A logger that drops everything: a library is silent unless its host asks. */
const silentLogger: Logger = {
  isEnabled: () => false,
  log: () => undefined,
};

/** Longest delay that the runtime's own timer takes; with a longer one it would run at once. */
const MAX_DELAY_MS = 0x7fffffff;

/** A `Runtime` on Node's own clock, timers and event loop. @param log default: silent. */
export function createClientRuntime(log: Logger = silentLogger): Runtime {
  return {
    clock: { nowMs: () => performance.now(), utcNow: () => DateTime.fromUnixMs(Date.now(), 0) },
    timers: {
      after: (delayMs, run) => {
        const timeout = setTimeout(run, Math.min(delayMs, MAX_DELAY_MS));
        return { cancel: () => clearTimeout(timeout) };
      },
    },
    turns: { defer: (run) => void setImmediate(run) },
    random: { bytes: (byteCount) => randomNonce(byteCount) },
    log,
  };
}
