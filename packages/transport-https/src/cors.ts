import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from './http-refusal.ts';
import { isOriginAllowed } from './port/origin.ts';

/** How long a browser may keep what it was told, s. */
const MAX_AGE_SECONDS = '600';
const ALLOWED_HEADERS = 'accept, accept-language, authorization, content-type, opcua-securitypolicy';

/**
 * Keeps the pages of other origins from using a browser to get here, and answers what browsers ask before they send a request.
 * @param allowedOrigins such as `https://plant.example`, or `*`.
 */
export function checkOrigin(allowedOrigins: readonly string[]): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void {
  const allowed = allowedOrigins.map((origin) => origin.toLowerCase());
  return (request, reply, done) => {
    const { headers, method } = request;
    if (headers.origin === undefined) return done();
    if (!isOriginAllowed(request.raw, allowed)) {
      return refuse(request, reply, { statusCode: 403, text: 'this origin is not allowed', closes: false });
    }
    void reply.headers({
      'access-control-allow-origin': headers.origin,
      'access-control-expose-headers': 'retry-after',
      vary: 'Origin',
    });
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return done();
    void reply.headers({
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': MAX_AGE_SECONDS,
    });
    void reply.code(204).send();
  };
}
