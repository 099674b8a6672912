import type { Clock, Runtime, Timers, TurnScheduler } from '@bulkhead/contracts';
import { DateTime } from '@bulkhead/types';
import { ManualClock } from './manual-clock.ts';
import { ManualTurns } from './manual-turns.ts';
import { RecordingLogger } from './recording-logger.ts';
import { SeededRandom } from './seeded-random.ts';

/** A runtime whose time and turns only move when the test says so. */
export interface ManualRuntime extends Runtime {
  readonly clock: ManualClock;
  readonly timers: ManualClock;
  readonly turns: ManualTurns;
  readonly random: SeededRandom;
  readonly log: RecordingLogger;
}

export function createManualRuntime(seed = 1): ManualRuntime {
  const clock = new ManualClock();
  return { clock, timers: clock, turns: new ManualTurns(), random: new SeededRandom(seed), log: new RecordingLogger() };
}

/** The process's own clock, timers and turns with repeatable randomness: for tests over real sockets. */
export interface EventLoopRuntime extends Runtime {
  readonly random: SeededRandom;
  readonly log: RecordingLogger;
}

export function createEventLoopRuntime(seed = 1): EventLoopRuntime {
  const clock: Clock = { nowMs: () => performance.now(), utcNow: () => DateTime.fromUnixMs(Date.now()) };
  const timers: Timers = {
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs);
      return { cancel: () => clearTimeout(timer) };
    },
  };
  const turns: TurnScheduler = { defer: (run) => void setImmediate(run) };
  return { clock, timers, turns, random: new SeededRandom(seed), log: new RecordingLogger() };
}
