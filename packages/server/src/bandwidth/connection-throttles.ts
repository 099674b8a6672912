import {
  BandwidthThrottle,
  type ConnectionThrottle,
  type HeldThrottle,
  KeyedBandwidthThrottle,
  stackThrottles,
  type Throttle,
} from '@bulkhead/limits';
import type { Owner } from '@bulkhead/resource-isolation';
import type { ConnectionThrottles } from '@bulkhead/transport';
import type { BandwidthOptions, DirectionRates } from './bandwidth-options.ts';

/**
 * Makes what gives connections their throttles.
 * @returns undefined when nothing is limited.
 * @throws RangeError naming the rate that is wrong.
 */
export function createConnectionThrottles({ perConnection, perOwner, total }: BandwidthOptions): ConnectionThrottles | undefined {
  const common: Throttle[] = [];
  if (perConnection !== undefined) common.push(perConnectionThrottle(perConnection));
  if (total !== undefined) common.push(new BandwidthThrottle({ mode: 'Shared', total }));
  if (perOwner !== undefined) return new OwnerThrottles(common, perOwner);
  if (common.length === 0) return undefined;
  return { attach: () => stackThrottles(common.map((throttle) => throttle.attach())) };
}

function perConnectionThrottle({ read, write }: DirectionRates): BandwidthThrottle {
  return new BandwidthThrottle({
    mode: 'PerConn',
    ...(read === undefined ? {} : { read }),
    ...(write === undefined ? {} : { write }),
  });
}

/** All connections of an owner share its budgets, beside what holds for every connection. */
class OwnerThrottles implements ConnectionThrottles {
  readonly #common: readonly Throttle[];
  readonly #byOwner: KeyedBandwidthThrottle;
  /** What owners share that come when there is no room for another one in the table. */
  readonly #latecomers: ConnectionThrottle;

  constructor(common: readonly Throttle[], rates: DirectionRates) {
    const perKey = { mode: 'PerConn', ...rates } as const;
    this.#common = common;
    this.#byOwner = new KeyedBandwidthThrottle({ perKey });
    this.#latecomers = perConnectionThrottle(rates).attach();
  }

  attach({ ownerClass, key }: Owner, nowMs: number): ConnectionThrottle & Partial<Disposable> {
    const held = this.#byOwner.attach(`${ownerClass}/${key}`, nowMs);
    const stacked = stackThrottles([...this.#common.map((throttle) => throttle.attach()), held ?? this.#latecomers]);
    return held === undefined ? stacked : new OwnedThrottle(stacked, held);
  }
}

class OwnedThrottle implements HeldThrottle {
  readonly read: ConnectionThrottle['read'];
  readonly write: ConnectionThrottle['write'];
  readonly #held: Disposable;

  constructor({ read, write }: ConnectionThrottle, held: Disposable) {
    this.read = read;
    this.write = write;
    this.#held = held;
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }
}
