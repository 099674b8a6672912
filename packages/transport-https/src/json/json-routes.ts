import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BodyAdmission } from '../body-admission.ts';
import { exchangeOf } from '../exchange-of.ts';
import { refuse } from '../http-refusal.ts';
import type { HttpsLimits } from '../https-limits.ts';
import { HTTPS_JSON_PROFILE_URI, HTTPS_OPENAPI_PROFILE_URI } from '../https-profiles.ts';
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
  for (const { path: url, request } of services) {
    const handler = jsonHandler(options.requests, options, request);
    application.route({ method: 'POST', url, bodyLimit: limits.maxJsonBodyBytes, onRequest, handler });
    application.route({ method: [...OTHER_METHODS], url, handler: onlyPosted });
  }
  let document: string | undefined;
  application.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(services, info));
    return reply.type('application/json').send(document);
  });
}

/** Hands on messages in JSON. @param expected the request that the path stands for; without it, messages say themselves what they are. */
export function jsonHandler(
  requests: ServiceRequests,
  parts: JsonFormatParts,
  expected?: ServicePath['request'],
): (request: FastifyRequest) => void {
  const transportProfileUri = expected === undefined ? HTTPS_JSON_PROFILE_URI : HTTPS_OPENAPI_PROFILE_URI;
  const compact = new JsonFormat(parts, { transportProfileUri, flavour: 'compact', expected });
  const verbose = new JsonFormat(parts, { transportProfileUri, flavour: 'verbose', expected });
  return (request) => {
    const { body } = request;
    const message = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    requests.submit(exchangeOf(request), message, isVerbose(request) ? verbose : compact, securityPolicyOf(request));
  };
}

/** The `encoding` parameter of the Content-Type. */
function isVerbose({ headers }: FastifyRequest): boolean {
  return /;\s*encoding\s*=\s*"?verbose"?\s*(?:;|$)/iu.test(headers['content-type'] ?? '');
}

function onlyPosted(request: FastifyRequest, reply: FastifyReply): void {
  refuse(request, reply, { statusCode: 405, text: 'requests are posted', closes: false, headers: { allow: 'POST' } });
}
