import { type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { exchangeOf } from './exchange-of.ts';
import { refuse } from './http-refusal.ts';
import type { HttpsLimits } from './https-limits.ts';

/** Largest body in bytes by media type. */
export type AcceptedTypes = ReadonlyMap<string, number>;

/**
 * Decides on a body before anything of it is read, and the one place where HTTPS asks for stage ReassemblyBytes: charged is what the
 * request announces, or the most that it may send when it announces nothing.
 */
export class BodyAdmission {
  readonly #provider: ResourceIsolationProvider;
  readonly #limits: HttpsLimits;

  constructor(provider: ResourceIsolationProvider, limits: HttpsLimits) {
    this.#provider = provider;
    this.#limits = limits;
  }

  /** For a route that takes bodies of these types. */
  hook(types: AcceptedTypes): (request: FastifyRequest, reply: FastifyReply, done: () => void) => void {
    const accepted = [...types.keys()].join(', ');
    return (request, reply, done) => {
      const maxBytes = types.get(mediaTypeOf(request));
      if (maxBytes === undefined) {
        const headers = { 'accept-post': accepted };
        return refuse(request, reply, { statusCode: 415, text: `accepted: ${accepted}`, closes: false, headers });
      }
      if (isEncoded(request)) {
        return refuse(request, reply, { statusCode: 415, text: 'no Content-Encoding is accepted', closes: false });
      }
      const bytes = announcedBytes(request) ?? maxBytes;
      if (bytes > maxBytes) return refuse(request, reply, { statusCode: 413, text: `at most ${maxBytes} bytes`, closes: true });
      if (!this.#admit(request, bytes)) {
        const { busyRetryAfterMs: retryAfterMs } = this.#limits;
        return refuse(request, reply, { statusCode: 503, text: 'no room for the body', retryAfterMs, closes: true });
      }
      exchangeOf(request).connection.pace.beforeReading(announcedBytes(request) ?? 0, () => {
        if (request.headers.expect !== undefined) reply.raw.writeContinue();
        done();
      });
    };
  }

  #admit(request: FastifyRequest, bytes: number): boolean {
    const exchange = exchangeOf(request);
    if (bytes === 0) return true;
    const answer = this.#provider.tryAcquire(Stage.ReassemblyBytes, exchange.connection.accepted.owner, bytes);
    if (answer.kind === 'refusal') return false;
    exchange.holdBody(answer);
    return true;
  }
}

/** @returns undefined when only the end of the body will tell. */
function announcedBytes({ headers }: FastifyRequest): number | undefined {
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  return headers['transfer-encoding'] === undefined ? 0 : undefined;
}

/** Without parameters such as charset. */
export function mediaTypeOf({ headers }: FastifyRequest): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  return type.trim().toLowerCase();
}

function isEncoded({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity';
}
