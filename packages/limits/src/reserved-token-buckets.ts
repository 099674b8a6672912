import { requireInteger } from './options.ts';
import { perSecond } from './rate.ts';
import { SeldomKeys } from './seldom-keys.ts';
import { type Acquisition, TokenBucket } from './token-bucket.ts';

/** Who asks: `Trusted` is one of the named owners, `Ordinary` everybody without a reservation. */
export type ConnectionClass = 'Ordinary' | 'Bootstrap' | 'Reconnect' | 'Trusted';

export interface ReservedTokenBucketsOptions {
  /** Connections per second in all. An integer >= 3 + the number of trusted owners. */
  readonly connectionsPerSecond: number;
  /** Connections at once in all. An integer >= 3 + the number of trusted owners. */
  readonly connectionBurst: number;
  /** Each different key gets a reservation of its own. Default: none. */
  readonly trustedOwners?: readonly string[];
  /**
   * Of the shared tokens the last so many go to ordinary callers that come seldom: a storm of one leaves others a way in. An
   * eighth of them make a caller one that comes often, for as long as it goes on. Whoever is alone may have them all. An integer from 0 to less than what is shared. Default 0.
   */
  readonly keptForSeldom?: number;
}

/** Callers known apart while tokens are scarce; others don't come seldom then. */
const MAX_SELDOM_KEYS = 16_384;
/** A caller comes seldom up to this part of the shared rate, and of the tokens that are kept. */
const SELDOM_RATE_PART = 1 / 64;
const SELDOM_BURST_PART = 1 / 8;

/**
 * One connection rate, divided so that a storm cannot lock the important out. Of the burst and of the rate, one token (per
 * second) each is set aside for `Bootstrap`, for `Reconnect` and for every trusted owner; the rest is shared. Whoever has a
 * reservation uses it first and then what is shared; ordinary callers never touch a reservation. Nothing is ever refunded.
 */
export class ReservedTokenBuckets {
  readonly #shared: TokenBucket;
  readonly #bootstrap: TokenBucket = new TokenBucket(perSecond(1));
  readonly #reconnect: TokenBucket = new TokenBucket(perSecond(1));
  readonly #owners: ReadonlyMap<string, TokenBucket>;
  readonly #keptForSeldom: number;
  readonly #seldom: SeldomKeys;

  /** @throws RangeError naming the option that is wrong, and what it must be. */
  constructor(options: ReservedTokenBucketsOptions) {
    this.#owners = new Map((options.trustedOwners ?? []).map((owner) => [owner, new TokenBucket(perSecond(1))]));
    const reserved = 2 + this.#owners.size;
    const rate = requireInteger('connectionsPerSecond', options.connectionsPerSecond, reserved + 1) - reserved;
    const burst = requireInteger('connectionBurst', options.connectionBurst, reserved + 1) - reserved;
    this.#shared = new TokenBucket(perSecond(rate, burst));
    this.#keptForSeldom = requireInteger('keptForSeldom', options.keptForSeldom ?? 0, 0, burst - 1);
    const seldomRate = Math.max(1, Math.floor(rate * SELDOM_RATE_PART));
    const seldomBurst = Math.max(1, Math.ceil(this.#keptForSeldom * SELDOM_BURST_PART));
    this.#seldom = new SeldomKeys({ rate: perSecond(seldomRate, seldomBurst), maxKeys: MAX_SELDOM_KEYS });
  }

  /**
   * One connection.
   * @param owner key of the caller; a `Trusted` one that was not named at construction counts as ordinary.
   * @returns granted, or when the first of the buckets open to this caller has a token.
   */
  tryAcquire(nowMs: number, connectionClass: ConnectionClass, owner: string = ''): Acquisition {
    const own = this.#reservationOf(connectionClass, owner);
    if (own === undefined) return this.#acquireOrdinary(nowMs, owner);
    const reserved = own.tryAcquire(nowMs);
    if (reserved.kind !== 'retry') return reserved;
    const shared = this.#shared.tryAcquire(nowMs);
    return shared.kind === 'retry' && reserved.retryAtMs < shared.retryAtMs ? reserved : shared;
  }

  #acquireOrdinary(nowMs: number, key: string): Acquisition {
    const available = this.#shared.available(nowMs);
    const isScarce = available <= this.#keptForSeldom;
    if (!isScarce || this.#seldom.comes(nowMs, key) || this.#seldom.trackedKeyCount === 1) return this.#shared.tryAcquire(nowMs);
    return { kind: 'retry', retryAtMs: this.#shared.readyAtMs(nowMs, this.#keptForSeldom + 1) };
  }

  #reservationOf(connectionClass: ConnectionClass, owner: string): TokenBucket | undefined {
    switch (connectionClass) {
      case 'Bootstrap':
        return this.#bootstrap;
      case 'Reconnect':
        return this.#reconnect;
      case 'Trusted':
        return this.#owners.get(owner);
      case 'Ordinary':
        return undefined;
    }
  }
}
