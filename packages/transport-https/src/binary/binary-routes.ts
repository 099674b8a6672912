import type { PlainMessages } from '@bulkhead/transport';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BodyAdmission } from '../body-admission.ts';
import { exchangeOf } from '../exchange-of.ts';
import { refuse } from '../http-refusal.ts';
import type { HttpsLimits } from '../https-limits.ts';
import type { ServiceRequests } from '../service-requests.ts';
import { BINARY_CONTENT_TYPES, BinaryFormat } from './binary-format.ts';

/** What `addBinaryRoutes` works with. */
export interface BinaryRoutesOptions {
  readonly paths: readonly string[];
  readonly requests: ServiceRequests;
  readonly admission: BodyAdmission;
  readonly limits: HttpsLimits;
  readonly messages: PlainMessages;
}

const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

/** https-uabinary: one request per POST. OPC 10000-6 §7.4.4. */
export function addBinaryRoutes(application: FastifyInstance, options: BinaryRoutesOptions): void {
  const { admission, limits, messages, paths, requests } = options;
  const format = new BinaryFormat(messages);
  const bodyLimit = limits.maxMessageSize;
  const types = new Map(BINARY_CONTENT_TYPES.map((type) => [type, bodyLimit] as const));
  application.addContentTypeParser([...types.keys()], { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
  const submit = (request: FastifyRequest): void => {
    requests.submit(exchangeOf(request), bodyOf(request), format, securityPolicyOf(request));
  };
  for (const url of paths) {
    application.route({ method: 'POST', url, bodyLimit, onRequest: admission.hook(types), handler: submit });
    application.route({ method: [...OTHER_METHODS], url, handler: notAllowed });
  }
}

/** The `OPCUA-SecurityPolicy` header; undefined means None. OPC 10000-6 §7.4.1. */
function securityPolicyOf({ headers }: FastifyRequest): string | undefined {
  const policy = headers['opcua-securitypolicy'];
  return typeof policy === 'string' && policy !== '' ? policy : undefined;
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function notAllowed(request: FastifyRequest, reply: FastifyReply): void {
  refuse(request, reply, { statusCode: 405, text: 'requests are posted', closes: false, headers: { allow: 'POST' } });
}
