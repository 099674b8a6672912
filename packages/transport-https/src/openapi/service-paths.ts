import { type RequestType, type ResponseType, type StructureType, structureTypeByName } from '@bulkhead/types';

/** One service as OpenAPI has it. */
export interface ServicePath {
  readonly name: string;
  /** Lower case, such as `/read`. */
  readonly path: string;
  readonly request: RequestType<unknown>;
  readonly response: ResponseType<unknown>;
}

/** @param names of services, such as `Read`; those without a request and a response of their own are left out. */
export function servicePaths(names: readonly string[]): ServicePath[] {
  return names.flatMap((name) => {
    const request = structureTypeByName(`${name}Request`);
    const response = structureTypeByName(`${name}Response`);
    if (!isRequest(request) || !isResponse(response)) return [];
    return [{ name, path: `/${name.toLowerCase()}`, request, response }];
  });
}

function isRequest(type: StructureType<unknown> | undefined): type is RequestType<unknown> {
  return type !== undefined && 'decodeBody' in type;
}

function isResponse(type: StructureType<unknown> | undefined): type is ResponseType<unknown> {
  return type !== undefined && 'encodeBody' in type;
}
