import type { StructureType } from '@bulkhead/types';
import { builtInSchema, type JsonSchema, schemaOf, schemaReference } from './json-schemas.ts';
import type { ServicePath } from './service-paths.ts';

/** What an OpenAPI document says of the server. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
}

const refusals: Readonly<Record<string, string>> = {
  401: 'Nobody who may ask without a Session.',
  403: 'A page of an origin that is not allowed.',
  413: 'A body that is too large.',
  415: 'Another type than application/json.',
  429: 'Too many requests; Retry-After says when to try again.',
  503: 'Too much to do; Retry-After says when to try again.',
};

/** Describes services for programs that have no stack: OpenAPI 3.1, made of the types that the server itself uses. OPC 10000-6 §H. */
export function openApiDocument(services: readonly ServicePath[], info: OpenApiInfo): object {
  const schemas = new Map<string, JsonSchema>();
  for (const { request, response } of services) {
    collect(request, schemas);
    collect(response, schemas);
  }
  return {
    openapi: '3.1.0',
    info,
    paths: Object.fromEntries(services.map((service) => [service.path, { post: operation(service) }])),
    security: [{}, { basic: [] }, { bearer: [] }],
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' }, bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

function operation({ name, request, response }: ServicePath): object {
  const content = (type: StructureType<unknown>): object => ({ 'application/json': { schema: schemaReference(type.name) } });
  return {
    operationId: name,
    requestBody: { required: true, content: content(request) },
    responses: {
      200: { description: 'The response; a ServiceResult that is bad says that nothing else counts.', content: content(response) },
      ...Object.fromEntries(Object.entries(refusals).map(([status, description]) => [status, { description }])),
    },
  };
}

/** The type with all that it is made of. */
function collect(type: StructureType<unknown>, schemas: Map<string, JsonSchema>): void {
  if (schemas.has(type.name)) return;
  schemas.set(type.name, schemaOf(type));
  for (const field of type.fields) {
    if (field.structure !== undefined) collect(field.structure(), schemas);
    else builtInSchema(field.type, schemas);
  }
}
