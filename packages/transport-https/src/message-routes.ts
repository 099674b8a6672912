import type { PlainMessages } from '@bulkhead/transport';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BINARY_CONTENT_TYPES, BinaryFormat } from './binary/binary-format.ts';
import { type BodyAdmission, mediaTypeOf } from './body-admission.ts';
import { exchangeOf } from './exchange-of.ts';
import { refuse } from './http-refusal.ts';
import type { HttpsLimits } from './https-limits.ts';
import type { JsonFormatParts } from './json/json-format.ts';
import { JSON_CONTENT_TYPES, jsonHandler } from './json/json-routes.ts';
import { securityPolicyOf } from './security-policy-of.ts';
import type { ServiceRequests } from './service-requests.ts';

/** What `addMessageRoutes` works with. */
export interface MessageRoutesOptions {
  readonly paths: readonly string[];
  readonly requests: ServiceRequests;
  readonly admission: BodyAdmission;
  readonly limits: HttpsLimits;
  readonly messages: PlainMessages;
  /** Undefined where JSON isn't spoken. */
  readonly json: JsonFormatParts | undefined;
}

const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

/** One request per POST, in OPC UA Binary or in JSON, which says itself what it is. OPC 10000-6 §7.4.4, §7.4.5. */
export function addMessageRoutes(application: FastifyInstance, options: MessageRoutesOptions): void {
  const { admission, json, limits, messages, paths, requests } = options;
  const binary = new BinaryFormat(messages);
  const jsonTypes: ReadonlySet<string> = new Set(json === undefined ? [] : JSON_CONTENT_TYPES);
  const types = new Map([
    ...BINARY_CONTENT_TYPES.map((type) => [type, limits.maxMessageSize] as const),
    ...[...jsonTypes].map((type) => [type, limits.maxJsonBodyBytes] as const),
  ]);
  for (const [type, bodyLimit] of types) {
    application.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
  }
  const submitJson = json && jsonHandler(requests, json);
  const handler = (request: FastifyRequest): void => {
    if (submitJson !== undefined && jsonTypes.has(mediaTypeOf(request))) return submitJson(request);
    requests.submit(exchangeOf(request), bodyOf(request), binary, securityPolicyOf(request));
  };
  for (const url of paths) {
    application.route({ method: 'POST', url, onRequest: admission.hook(types), handler });
    application.route({ method: [...OTHER_METHODS], url, handler: notAllowed });
  }
}

function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

function notAllowed(request: FastifyRequest, reply: FastifyReply): void {
  refuse(request, reply, { statusCode: 405, text: 'requests are posted', closes: false, headers: { allow: 'POST' } });
}
