import type { Clock } from '@bulkhead/contracts';
import { type ClientIpKeyOptions, type ClientIpSource, clientIpKey, KeyedRatePolicy } from '@bulkhead/limits';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { exchangeOf } from '../exchange-of.ts';
import { refuse } from '../http-refusal.ts';
import { FixedWindow } from './fixed-window.ts';

/** Bounds how many requests per second are looked at, whatever is in them. */
export interface HttpsRateLimiterOptions extends ClientIpKeyOptions {
  /** Of everybody together, per window. Default 100. */
  readonly requestsPerWindow?: number;
  /** Default 1 s. */
  readonly windowMs?: number;
  /** Per window and route, such as `{ '/read': 20 }`; a route that isn't named has no limit of its own. */
  readonly routes?: Readonly<Record<string, number>>;
  /** Of one client, by its address. Default: no limit of its own. */
  readonly requestsPerClient?: number;
  /** Most clients that are counted at a time; further ones are refused. Default 65,536. */
  readonly maxClients?: number;
}

export const defaultHttpsRateLimits: Required<Pick<HttpsRateLimiterOptions, 'requestsPerWindow' | 'windowMs' | 'maxClients'>> =
  Object.freeze({ requestsPerWindow: 100, windowMs: 1000, maxClients: 65_536 });

const MAX_REQUESTS = 1_000_000_000;
const MAX_CLIENTS = 2 ** 24;
const MAX_WINDOW_MS = 3_600_000;

/** Fixed windows for everybody and for routes, a bucket for each client. */
export class HttpsRateLimiter {
  readonly #everybody: FixedWindow;
  readonly #routes: ReadonlyMap<string, FixedWindow>;
  readonly #clients: KeyedRatePolicy<ClientIpSource> | undefined;

  /** @throws RangeError naming the option that is wrong. */
  constructor(options: HttpsRateLimiterOptions = {}) {
    const { requestsPerClient, requestsPerWindow, maxClients, routes = {}, windowMs } = { ...defaultHttpsRateLimits, ...options };
    integer('windowMs', windowMs, MAX_WINDOW_MS);
    integer('maxClients', maxClients, MAX_CLIENTS);
    this.#everybody = new FixedWindow(integer('requestsPerWindow', requestsPerWindow, MAX_REQUESTS), windowMs);
    this.#routes = new Map(
      Object.entries(routes).map(([route, limit]) => [route, new FixedWindow(integer(`routes.${route}`, limit, MAX_REQUESTS), windowMs)]),
    );
    if (requestsPerClient === undefined) return;
    this.#clients = new KeyedRatePolicy<ClientIpSource>({
      amount: integer('requestsPerClient', requestsPerClient, MAX_REQUESTS),
      periodMs: windowMs,
      key: clientIpKey(options),
      maxKeys: maxClients,
    });
  }

  /**
   * A client that comes too often uses up nothing of what others have.
   * @returns 0 when the request may go on; else ms until another may.
   */
  check(client: ClientIpSource, route: string | undefined, nowMs: number): number {
    const decision = this.#clients?.check(client, nowMs);
    if (decision !== undefined && decision.kind !== 'ready') return decision.kind === 'abort' ? (decision.retryAfterMs ?? 1000) : 1000;
    const ofRoute = route === undefined ? undefined : this.#routes.get(route);
    return ofRoute?.tryTake(nowMs) || this.#everybody.tryTake(nowMs);
  }
}

/** Answers 429 with Retry-After before a body is read. */
export function limitRate(
  limiter: HttpsRateLimiter,
  clock: Clock,
): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void {
  return (request, reply, done) => {
    const { headers, routeOptions } = request;
    const waitMs = limiter.check(
      { remoteAddress: exchangeOf(request).connection.accepted.remote.address, headers },
      routeOptions.url,
      clock.nowMs(),
    );
    if (waitMs === 0) return done();
    refuse(request, reply, { statusCode: 429, text: 'too many requests', retryAfterMs: waitMs, closes: false });
  };
}

function integer(name: string, value: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  throw new RangeError(`${name}: an integer from 1 to ${max} is needed, not ${value}`);
}
