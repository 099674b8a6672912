import { allStructureTypes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../src/openapi/openapi-document.ts';
import { servicePaths } from '../src/openapi/service-paths.ts';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, { readonly post: { readonly operationId: string } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, unknown>> }>> };
}

function documentOf(names: readonly string[]): Document {
  return openApiDocument(servicePaths(names), { title: 'Test', version: '1' }) as Document;
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : referencesIn(inner)));
}

describe('openApiDocument', () => {
  it('has a path for each service, and no other', () => {
    const { openapi, paths } = documentOf(['Read', 'BrowseNext', 'Invented', 'ServiceFault']);
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths)).toEqual(['/read', '/browsenext']);
    expect(paths['/read']?.post.operationId).toBe('Read');
  });

  it('describes requests by the fields that the codec has', () => {
    const { schemas } = documentOf(['Read']).components;
    expect(Object.keys(schemas['ReadRequest']?.properties ?? {})).toEqual(['RequestHeader', 'MaxAge', 'TimestampsToReturn', 'NodesToRead']);
    expect(schemas['ReadRequest']?.properties?.['NodesToRead']).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/ReadValueId' },
    });
    expect(schemas['ReadValueId']?.properties?.['AttributeId']).toEqual({ type: 'integer', minimum: 0, maximum: 0xffffffff });
    expect(schemas['ReadValueId']?.properties?.['NodeId']).toEqual({ $ref: '#/components/schemas/NodeId' });
  });

  it('refers to nothing that it does not describe, for every service of the specification', () => {
    const names = allStructureTypes().flatMap(({ name }) => (name.endsWith('Request') ? [name.slice(0, -'Request'.length)] : []));
    const document = documentOf(names);
    expect(Object.keys(document.paths).length).toBeGreaterThan(30);
    const described = new Set(Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`));
    const missing = referencesIn(document).filter((reference) => !described.has(reference));
    expect(missing).toEqual([]);
  });
});
