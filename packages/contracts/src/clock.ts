import type { DateTime } from '@bulkhead/types';

/** Where time comes from. Everything that is not an edge of the process takes it as an argument. */
export interface Clock {
  /** Monotonic milliseconds with fraction; the origin is arbitrary. */
  nowMs(): number;
  /** UTC wall clock. */
  utcNow(): DateTime;
}

/** A pending timer. */
export interface Timer {
  /** Idempotent; harmless after the timer ran. */
  cancel(): void;
}

/** One timer wheel per server. */
export interface Timers {
  /** Runs `run` once, `delayMs` (>= 0) from now. */
  after(delayMs: number, run: () => void): Timer;
}

/** Hands work to a later turn of the event loop, after every socket that is ready now was read. */
export interface TurnScheduler {
  defer(run: () => void): void;
}

/** Cryptographically strong randomness, or a seeded stand-in under simulation. */
export interface RandomSource {
  bytes(byteCount: number): Buffer;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Structured log. Silent unless the host gives one. Never receives tokens, passwords or keys. */
export interface Logger {
  /** Ask before building costly fields. */
  isEnabled(level: LogLevel): boolean;
  /** @param event a stable dotted name, such as `channel.refused`. */
  log(level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What the host gives to the sans-IO packages. */
export interface Runtime {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: TurnScheduler;
  readonly random: RandomSource;
  readonly log: Logger;
}
