import { availableParallelism } from 'node:os';
import type { ConnectionRateGate } from '@bulkhead/transport';
import { OptionsError } from '../server-options.ts';

/** How fast callers may connect, and how many Sessions may be established at a time. */
export interface ServerRateLimitOptions {
  /** False turns off the limits on connections and on Session establishment here; isolation and the chunk budget stay. Default true. */
  readonly enabled?: boolean;
  /** Connections that the operating system keeps until they are accepted. Default 512. */
  readonly listenBacklog?: number;
  /** Default true. */
  readonly connectionRateLimitEnabled?: boolean;
  /** Default 500. */
  readonly connectionsPerSecond?: number;
  /** Connections at once. Default 1,000. */
  readonly connectionBurst?: number;
  /** Default true. */
  readonly sessionRateLimitEnabled?: boolean;
  /** CreateSession and ActivateSession in flight. Default: 8 per processor, at least 128, which is also used when it is 0 or less. */
  readonly maxConcurrentSessionEstablishment?: number;
  /** How many more may wait for their turn, the one that has waited longest first; 0 refuses at once. Default 0. */
  readonly sessionEstablishmentQueueLimit?: number;
}

/** A policy of its own for how fast callers may connect. */
export interface ServerRateLimiterProvider {
  /** Asked for each connection that would otherwise be let in, before anything is allocated for it. */
  readonly connections: ConnectionRateGate;
}

const MAX_RATE = 1_000_000_000;
const MAX_BACKLOG = 65_535;
const MAX_WAITERS = 100_000;
const MIN_SESSION_ESTABLISHMENT = 128;
const SESSION_ESTABLISHMENT_PER_PROCESSOR = 8;

/**
 * Fills in the defaults.
 * @throws OptionsError naming the option's path.
 */
export function resolveRateLimits(options: ServerRateLimitOptions = {}): Required<ServerRateLimitOptions> {
  const establishment = options.maxConcurrentSessionEstablishment ?? 0;
  if (!Number.isSafeInteger(establishment)) throw wrong('maxConcurrentSessionEstablishment', 'an integer', establishment);
  return {
    enabled: flag('enabled', options.enabled),
    listenBacklog: integer('listenBacklog', options.listenBacklog ?? 512, 1, MAX_BACKLOG),
    connectionRateLimitEnabled: flag('connectionRateLimitEnabled', options.connectionRateLimitEnabled),
    connectionsPerSecond: integer('connectionsPerSecond', options.connectionsPerSecond ?? 500, 1, MAX_RATE),
    connectionBurst: integer('connectionBurst', options.connectionBurst ?? 1000, 1, MAX_RATE),
    sessionRateLimitEnabled: flag('sessionRateLimitEnabled', options.sessionRateLimitEnabled),
    maxConcurrentSessionEstablishment: establishment > 0 ? establishment : defaultSessionEstablishment(),
    sessionEstablishmentQueueLimit: integer('sessionEstablishmentQueueLimit', options.sessionEstablishmentQueueLimit ?? 0, 0, MAX_WAITERS),
  };
}

function defaultSessionEstablishment(): number {
  return Math.max(availableParallelism() * SESSION_ESTABLISHMENT_PER_PROCESSOR, MIN_SESSION_ESTABLISHMENT);
}

function flag(name: keyof ServerRateLimitOptions, value: boolean | undefined): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? true;
  throw wrong(name, 'true or false', value);
}

function integer(name: keyof ServerRateLimitOptions, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw wrong(name, `an integer from ${min} to ${max}`, value);
}

function wrong(name: keyof ServerRateLimitOptions, expected: string, actual: unknown): OptionsError {
  return new OptionsError(`rateLimits.${name}`, expected, actual);
}
