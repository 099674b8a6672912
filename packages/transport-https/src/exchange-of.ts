import type { FastifyRequest } from 'fastify';
import type { HttpsExchange } from './https-exchange.ts';

/** Name of the request's decoration. */
const NAME = 'bulkheadExchange';

type Decorated = FastifyRequest & { [NAME]?: HttpsExchange };

/** What was begun for a request when its head was there. */
export function exchangeOf(request: FastifyRequest): HttpsExchange {
  const exchange = (request as Decorated)[NAME];
  if (exchange === undefined) throw new Error('no exchange was begun for the request');
  return exchange;
}

/** Called once per request. */
export function setExchange(request: FastifyRequest, exchange: HttpsExchange): void {
  (request as Decorated)[NAME] = exchange;
}

/** For `decorateRequest`, so that all requests have one shape. */
export const EXCHANGE_DECORATION: string = NAME;
