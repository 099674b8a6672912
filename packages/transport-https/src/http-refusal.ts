import type { FastifyReply, FastifyRequest } from 'fastify';

/** Up to here a refused body is read and thrown away: to connect anew would cost both sides more. */
const MAX_DISCARDED_BYTES = 64 * 1024;

/** An answer of HTTP itself, without a message of OPC UA in it. */
export interface HttpRefusal {
  readonly statusCode: number;
  /** One line; nothing of this server's insides. */
  readonly text: string;
  /** When to try again, ms. */
  readonly retryAfterMs?: number;
  /** The connection ends with it, so that nothing more has to be read. */
  readonly closes: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Refuses a request whose body was not read. */
export function refuse(request: FastifyRequest, reply: FastifyReply, refusal: HttpRefusal): void {
  if (refusal.closes || !isDiscardable(request)) void reply.header('connection', 'close');
  if (refusal.retryAfterMs !== undefined) void reply.header('retry-after', retryAfterSeconds(refusal.retryAfterMs));
  if (refusal.headers !== undefined) void reply.headers(refusal.headers);
  void reply.code(refusal.statusCode).type('text/plain; charset=utf-8').send(`${refusal.text}\n`);
}

/** Whole seconds, rounded up: an earlier try would be in vain. RFC 9110 §10.2.3. */
export function retryAfterSeconds(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1000)));
}

function isDiscardable({ headers }: FastifyRequest): boolean {
  if (headers.expect !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES;
}
