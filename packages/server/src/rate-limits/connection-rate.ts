import { type ConnectionClass, perSecond, ReservedTokenBuckets, TokenBucket } from '@bulkhead/limits';
import type { Owner, OwnerClass, ResourceIsolationPlan } from '@bulkhead/resource-isolation';
import type { ConnectionRateGate } from '@bulkhead/transport';
import { OptionsError } from '../server-options.ts';
import type { ServerRateLimiterProvider, ServerRateLimitOptions } from './rate-limit-options.ts';

/**
 * What bounds the rate of connections: a provider that is given, as it is, else what the options say. With reserves in the plan, one
 * token of the burst and of the rate is kept for Bootstrap, for Reconnect and for each trusted owner.
 * @param plan of the server's own isolation provider; undefined where there is none.
 * @returns undefined when any rate is fine.
 * @throws OptionsError naming `connectionsPerSecond` or `connectionBurst`, and the least it has to be.
 */
export function createConnectionRate(
  options: Required<ServerRateLimitOptions>,
  plan: ResourceIsolationPlan | undefined,
  given: ServerRateLimiterProvider | undefined,
): ConnectionRateGate | undefined {
  if (given !== undefined) return given.connections;
  if (!options.enabled || !options.connectionRateLimitEnabled) return undefined;
  if (plan?.mode !== 'Balanced' && plan?.mode !== 'TrustedReservations') return new SharedConnectionRate(options);
  return new ReservedConnectionRate(
    options,
    plan.trustedOwners.map(({ key }) => key),
  );
}

/** One bucket for everybody. */
class SharedConnectionRate implements ConnectionRateGate {
  readonly #bucket: TokenBucket;

  constructor({ connectionsPerSecond, connectionBurst }: Required<ServerRateLimitOptions>) {
    this.#bucket = new TokenBucket(perSecond(connectionsPerSecond, connectionBurst));
  }

  tryAdmit(nowMs: number): boolean {
    return this.#bucket.tryAcquire(nowMs).kind === 'granted';
  }
}

/** Part of the shared burst that only callers that connect seldom get: a storm from one address leaves others a way in. */
const KEPT_FOR_SELDOM = 1 / 8;

/** Ordinary callers can't take the tokens that are kept for others. */
class ReservedConnectionRate implements ConnectionRateGate {
  readonly #buckets: ReservedTokenBuckets;

  constructor({ connectionsPerSecond, connectionBurst }: Required<ServerRateLimitOptions>, trustedOwners: readonly string[]) {
    const reserved = 2 + trustedOwners.length;
    for (const [name, value] of Object.entries({ connectionsPerSecond, connectionBurst })) {
      if (value > reserved) continue;
      throw new OptionsError(`rateLimits.${name}`, `at least ${reserved + 1} (${reserved} reserved, 1 shared)`, value);
    }
    const keptForSeldom = Math.floor((connectionBurst - reserved) * KEPT_FOR_SELDOM);
    this.#buckets = new ReservedTokenBuckets({ connectionsPerSecond, connectionBurst, trustedOwners, keptForSeldom });
  }

  tryAdmit(nowMs: number, owner: Owner): boolean {
    return this.#buckets.tryAcquire(nowMs, connectionClasses[owner.ownerClass], owner.key).kind === 'granted';
  }
}

/** Control work is what requests do; a connection isn't. */
const connectionClasses: Readonly<Record<OwnerClass, ConnectionClass>> = {
  Shared: 'Ordinary',
  Control: 'Ordinary',
  Bootstrap: 'Bootstrap',
  Reconnect: 'Reconnect',
  Trusted: 'Trusted',
};
