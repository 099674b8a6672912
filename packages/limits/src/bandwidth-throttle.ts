import { requireInteger } from './options.ts';
import { BucketPacer, type Pacer, StackedPacer } from './pacer.ts';
import { perSecond } from './rate.ts';
import { TokenBucket } from './token-bucket.ts';

/** 1 TiB. */
const MAX_BYTES = 2 ** 40;

export interface ByteRate {
  /** An integer >= 1. */
  readonly bytesPerSecond: number;
  /**
   * Bytes that may pass at once after a pause, >= 1. It also makes up for timers that run late by up to the time it covers.
   * Default: what the rate allows in 50 ms.
   */
  readonly burstBytes?: number;
}

/** What one connection moves its bytes by; a direction that is undefined is not limited. */
export interface ConnectionThrottle {
  readonly read: Pacer | undefined;
  readonly write: Pacer | undefined;
}

/** Gives every connection its throttle. */
export interface Throttle {
  attach(): ConnectionThrottle;
}

export type BandwidthThrottleOptions =
  | {
      /** Every connection has budgets of its own, one per direction. */
      readonly mode: 'PerConn';
      readonly read?: ByteRate;
      readonly write?: ByteRate;
    }
  | {
      /** All connections and both directions spend one budget. */
      readonly mode: 'Shared';
      readonly total: ByteRate;
      /** False leaves a direction out. Default: both count. */
      readonly read?: boolean;
      readonly write?: boolean;
    };

/** A limit on bytes per second. */
export class BandwidthThrottle implements Throttle {
  readonly #makeRead: () => Pacer | undefined;
  readonly #makeWrite: () => Pacer | undefined;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: BandwidthThrottleOptions) {
    if (options.mode === 'PerConn') {
      this.#makeRead = pacerFactory('read', options.read);
      this.#makeWrite = pacerFactory('write', options.write);
    } else {
      const pacer = newPacer('total', options.total);
      this.#makeRead = () => (options.read === false ? undefined : pacer);
      this.#makeWrite = () => (options.write === false ? undefined : pacer);
    }
  }

  attach(): ConnectionThrottle {
    return { read: this.#makeRead(), write: this.#makeWrite() };
  }
}

/** Several throttles on the same connections: every one applies. */
export class ThrottleStack implements Throttle {
  readonly #throttles: readonly Throttle[];

  constructor(throttles: readonly Throttle[]) {
    this.#throttles = [...throttles];
  }

  attach(): ConnectionThrottle {
    return stackThrottles(this.#throttles.map((throttle) => throttle.attach()));
  }
}

/** Every one of several throttles of one connection applies. */
export function stackThrottles(throttles: readonly ConnectionThrottle[]): ConnectionThrottle {
  return { read: stackPacers(throttles.map(({ read }) => read)), write: stackPacers(throttles.map(({ write }) => write)) };
}

function stackPacers(pacers: readonly (Pacer | undefined)[]): Pacer | undefined {
  const limiting = pacers.filter((pacer) => pacer !== undefined);
  return limiting.length > 1 ? new StackedPacer(limiting) : limiting[0];
}

function pacerFactory(name: string, rate: ByteRate | undefined): () => Pacer | undefined {
  if (rate === undefined) return () => undefined;
  newPacer(name, rate);
  return () => newPacer(name, rate);
}

function newPacer(name: string, rate: ByteRate): Pacer {
  const bytesPerSecond = requireInteger(`${name}.bytesPerSecond`, rate.bytesPerSecond, 1, MAX_BYTES);
  const burst = rate.burstBytes ?? Math.max(1, Math.floor(bytesPerSecond / 20));
  return new BucketPacer(new TokenBucket(perSecond(bytesPerSecond, requireInteger(`${name}.burstBytes`, burst, 1, MAX_BYTES))));
}
