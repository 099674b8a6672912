import type { SecureChannelContext, ServiceHandler } from '@bulkhead/contracts';
import type {
  ApplicationDescription,
  EndpointDescription,
  FindServersRequest,
  FindServersResponse,
  GetEndpointsRequest,
  GetEndpointsResponse,
} from '@bulkhead/types';

/** FindServers and GetEndpoints. OPC 10000-4 §5.5. */
export interface DiscoveryServiceSet {
  readonly FindServers: ServiceHandler<FindServersRequest, FindServersResponse>;
  readonly GetEndpoints: ServiceHandler<GetEndpointsRequest, GetEndpointsResponse>;
}

/** Describes the server to a client that reached it by a URL. */
export interface DiscoverySource {
  application(channel: SecureChannelContext, endpointUrl: string | null): ApplicationDescription;
  /** Endpoints of all transports, with URLs that this client can reach. */
  endpoints(channel: SecureChannelContext, endpointUrl: string | null): readonly EndpointDescription[];
}

export function createDiscoveryServiceSet(source: DiscoverySource): DiscoveryServiceSet {
  return {
    FindServers: (request, { channel }) => {
      const server = source.application(channel, request.endpointUrl);
      const isAskedFor = isEmpty(request.serverUris) || request.serverUris.includes(server.applicationUri);
      return { servers: isAskedFor ? [server] : [] };
    },
    GetEndpoints: (request, { channel }) => {
      const { profileUris } = request;
      const endpoints = source.endpoints(channel, request.endpointUrl);
      if (isEmpty(profileUris)) return { endpoints };
      return { endpoints: endpoints.filter(({ transportProfileUri }) => profileUris.includes(transportProfileUri)) };
    },
  };
}

function isEmpty(filter: readonly unknown[] | null): filter is null {
  return filter === null || filter.length === 0;
}
