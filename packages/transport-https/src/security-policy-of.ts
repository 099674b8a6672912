import type { FastifyRequest } from 'fastify';

/** The `OPCUA-SecurityPolicy` header; undefined means None. OPC 10000-6 §7.4.1. */
export function securityPolicyOf({ headers }: FastifyRequest): string | undefined {
  const policy = headers['opcua-securitypolicy'];
  return typeof policy === 'string' && policy !== '' ? policy : undefined;
}
