import type { Owner, Refusal, RequestLeases, ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { ServiceDefinition } from './service-table.ts';

/** The one place where a decoded request asks for RequestQueue, RequestQueueBytes and ParkedRequest. */
export class RequestAdmission {
  readonly #provider: ResourceIsolationProvider;
  readonly #maxMessageBytes: number;

  /** @param maxMessageBytes charged per request: decoding can make a small message large, so its own length is no bound. */
  constructor(provider: ResourceIsolationProvider, maxMessageBytes: number) {
    this.#provider = provider;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** All leases of a request or none. */
  admit(owner: Owner, service: ServiceDefinition): RequestLeases | Refusal {
    return this.#provider.tryAdmitRequest(owner, this.#maxMessageBytes, service.isParkable);
  }
}
