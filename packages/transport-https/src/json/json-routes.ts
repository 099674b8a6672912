import type { JsonFlavour } from '@bulkhead/types';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BodyAdmission } from '../body-admission.ts';
import { exchangeOf } from '../exchange-of.ts';
import { refuse } from '../http-refusal.ts';
import type { HttpsLimits } from '../https-limits.ts';
import { type OpenApiInfo, openApiDocument } from '../openapi/openapi-document.ts';
import { type ServicePath, servicePaths } from '../openapi/service-paths.ts';
import { securityPolicyOf } from '../security-policy-of.ts';
import type { ServiceRequests } from '../service-requests.ts';
import { JsonFormat, type JsonFormatParts } from './json-format.ts';

/** The second is that of older versions. OPC 10000-6 §7.4.5. */
export const JSON_CONTENT_TYPES: readonly string[] = ['application/json', 'application/opcua+uajson'];

/** What `addOpenApiRoutes` works with. */
export interface OpenApiRoutesOptions extends JsonFormatParts {
  readonly requests: ServiceRequests;
  readonly admission: BodyAdmission;
  readonly limits: HttpsLimits;
  /** Names of the services that there are. */
  readonly services: readonly string[];
  readonly info: OpenApiInfo;
}

const OTHER_METHODS = ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const;

/** Each service at a path of its own, and what describes them. OPC 10000-6 §H. */
export function addOpenApiRoutes(application: FastifyInstance, options: OpenApiRoutesOptions): void {
  const { admission, limits, info } = options;
  const services = servicePaths(options.services);
  const types = new Map(JSON_CONTENT_TYPES.map((type) => [type, limits.maxJsonBodyBytes] as const));
  const onRequest = admission.hook(types);
  for (const service of services) {
    application.route({
      method: 'POST',
      url: service.path,
      bodyLimit: limits.maxJsonBodyBytes,
      onRequest,
      handler: handlerOf(service, options),
    });
    application.route({ method: [...OTHER_METHODS], url: service.path, handler: onlyPosted });
  }
  let document: string | undefined;
  application.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(services, info));
    return reply.type('application/json').send(document);
  });
}

/** A message in JSON that says itself what it is. OPC 10000-6 §7.4.5. */
export function submitJson(request: FastifyRequest, requests: ServiceRequests, parts: JsonFormatParts): void {
  submit(request, requests, parts, undefined);
}

function handlerOf({ request: type }: ServicePath, options: OpenApiRoutesOptions): (request: FastifyRequest) => void {
  return (request) => submit(request, options.requests, options, type);
}

function submit(
  request: FastifyRequest,
  requests: ServiceRequests,
  parts: JsonFormatParts,
  expected: ServicePath['request'] | undefined,
): void {
  const { body } = request;
  const flavour = flavourOf(request);
  const contentType = flavour === 'compact' ? 'application/json' : 'application/json; encoding=verbose';
  const message = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  requests.submit(exchangeOf(request), message, new JsonFormat(parts, contentType, flavour, expected), securityPolicyOf(request));
}

/** The `encoding` parameter of the Content-Type. */
function flavourOf({ headers }: FastifyRequest): JsonFlavour {
  return /;\s*encoding\s*=\s*"?verbose"?\s*(?:;|$)/iu.test(headers['content-type'] ?? '') ? 'verbose' : 'compact';
}

function onlyPosted(request: FastifyRequest, reply: FastifyReply): void {
  refuse(request, reply, { statusCode: 405, text: 'requests are posted', closes: false, headers: { allow: 'POST' } });
}
