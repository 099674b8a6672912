import type { ServiceHandler } from '@bulkhead/contracts';
import type { ServiceDefinition, ServiceHandlers } from './service-table.ts';

/** A service with the function that does it. */
export interface BoundService extends ServiceDefinition {
  readonly handler: ServiceHandler<unknown, object>;
}

/** Services that have a handler, by the numeric id of the request's binary encoding. */
export function bindServices(table: readonly ServiceDefinition[], handlers: ServiceHandlers): ReadonlyMap<number, BoundService> {
  const services = new Map<number, BoundService>();
  for (const definition of table) {
    const handler = handlers[definition.name] as ServiceHandler<unknown, object> | undefined;
    if (handler !== undefined) services.set(definition.request.binaryEncodingId, { ...definition, handler });
  }
  return services;
}
