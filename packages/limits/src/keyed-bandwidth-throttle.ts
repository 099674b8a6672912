import { BandwidthThrottle, type BandwidthThrottleOptions, type ConnectionThrottle } from './bandwidth-throttle.ts';
import { type Held, IdleTable } from './idle-table.ts';
import { DEFAULT_MAX_KEYS } from './keyed-rate-policy.ts';
import type { Pacer } from './pacer.ts';

export interface KeyedBandwidthThrottleOptions {
  /** What all connections of one key have together: `PerConn` a budget for each direction, `Shared` one for both. */
  readonly perKey: BandwidthThrottleOptions;
  /** Most keys at once, 1..2^24. Default 65,536. */
  readonly maxKeys?: number;
}

/** A connection's throttle; dispose it when the connection is closed. */
export interface HeldThrottle extends ConnectionThrottle, Disposable {}

/** A key without connections is kept this long, and then until its budget is full. */
const IDLE_MS = 1_000;

/**
 * One budget for all connections of a key, such as an owner or a client. It lasts as long as one of them, and longer until it is full
 * again: closing and opening connections gains nothing.
 */
export class KeyedBandwidthThrottle {
  readonly #throttles: IdleTable<ConnectionThrottle>;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: KeyedBandwidthThrottleOptions) {
    const create = (): ConnectionThrottle => new BandwidthThrottle(options.perKey).attach();
    create();
    this.#throttles = new IdleTable({
      maxKeys: options.maxKeys ?? DEFAULT_MAX_KEYS,
      idleMs: IDLE_MS,
      create,
      isSettled: ({ read, write }, nowMs) => isFull(read, nowMs) && isFull(write, nowMs),
    });
  }

  get trackedKeyCount(): number {
    return this.#throttles.size;
  }

  /** @returns undefined if the key is new and `maxKeys` are in use: refuse the connection. */
  attach(key: string, nowMs: number): HeldThrottle | undefined {
    const held = this.#throttles.hold(key, nowMs);
    return held === undefined ? undefined : new KeyHold(held);
  }
}

class KeyHold implements HeldThrottle {
  readonly read: Pacer | undefined;
  readonly write: Pacer | undefined;
  readonly #held: Held<ConnectionThrottle>;

  constructor(held: Held<ConnectionThrottle>) {
    this.read = held.value.read;
    this.write = held.value.write;
    this.#held = held;
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }
}

function isFull(pacer: Pacer | undefined, nowMs: number): boolean {
  return pacer === undefined || pacer.isFull(nowMs);
}
