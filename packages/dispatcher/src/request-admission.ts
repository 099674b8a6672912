import type { IncomingRequest, Logger, ParkingCandidate, RequestParkingPolicy, SessionContext } from '@bulkhead/contracts';
import type { Owner, Refusal, RequestLeases, ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import { BinaryReader, type EncodingLimits } from '@bulkhead/types';
import type { ServiceDefinition } from './service-table.ts';

/** What `RequestAdmission` works with. */
export interface RequestAdmissionParts {
  readonly provider: ResourceIsolationProvider;
  /** Charged per request: decoding can make a small message large, so its own length is no bound. */
  readonly maxMessageBytes: number;
  readonly parkingPolicy: RequestParkingPolicy | undefined;
  readonly encodingLimits: EncodingLimits;
  readonly log: Logger;
}

/** The one place where a decoded request asks for RequestQueue, RequestQueueBytes and ParkedRequest. */
export class RequestAdmission {
  readonly #parts: RequestAdmissionParts;

  constructor(parts: RequestAdmissionParts) {
    this.#parts = parts;
  }

  /** All leases of a request or none. */
  admit(owner: Owner, incoming: IncomingRequest, service: ServiceDefinition, session: SessionContext | undefined): RequestLeases | Refusal {
    const { maxMessageBytes, parkingPolicy, provider } = this.#parts;
    const mayPark = service.isParkable || (parkingPolicy !== undefined && this.#selects(parkingPolicy, incoming, service, session));
    return provider.tryAdmitRequest(owner, maxMessageBytes, mayPark);
  }

  #selects(
    policy: RequestParkingPolicy,
    incoming: IncomingRequest,
    service: ServiceDefinition,
    session: SessionContext | undefined,
  ): boolean {
    const { channel, header } = incoming;
    const candidate: ParkingCandidate = {
      service: service.name,
      channel,
      session,
      header,
      decode: () => {
        if (incoming.decodeBody !== undefined) return incoming.decodeBody(service.request);
        const reader = new BinaryReader(incoming.message, this.#parts.encodingLimits);
        reader.reset(incoming.message, incoming.bodyStart);
        return service.request.decodeBody(reader, header);
      },
    };
    try {
      return policy.mayPark(candidate);
    } catch (error) {
      this.#parts.log.log('warn', 'dispatcher.parking-policy-failed', { service: service.name, error });
      return false;
    }
  }
}
