import {
  type ApplicationDescription,
  type EndpointDescription,
  FindServersRequest,
  FindServersResponse,
  GetEndpointsRequest,
  GetEndpointsResponse,
} from '@bulkhead/types';
import type { ClientConnectionOptions } from './connection/connection-options.ts';
import { openServiceConnection } from './connection/service-connection.ts';

/** Discovery needs no security: what it tells is checked later. OPC 10000-4 §5.5.1. */
export type DiscoveryOptions = Omit<ClientConnectionOptions, 'security'>;

/** Most descriptions that are looked at. */
const MAX_DESCRIPTIONS = 1000;

/** The endpoints of a server. Anybody on the way may have changed them; CreateSession tells. @throws as `ClientConnection.request` */
export async function getEndpoints(options: DiscoveryOptions, signal?: AbortSignal): Promise<readonly EndpointDescription[]> {
  await using connection = await openServiceConnection(options, signal);
  const { endpointUrl } = options;
  const { endpoints } = await connection.request(GetEndpointsRequest, GetEndpointsResponse, { endpointUrl }, undefined, { signal });
  return (endpoints ?? []).slice(0, MAX_DESCRIPTIONS);
}

/** The servers that a server or discovery server knows. @throws as `ClientConnection.request` */
export async function findServers(options: DiscoveryOptions, signal?: AbortSignal): Promise<readonly ApplicationDescription[]> {
  await using connection = await openServiceConnection(options, signal);
  const { endpointUrl } = options;
  const { servers } = await connection.request(FindServersRequest, FindServersResponse, { endpointUrl }, undefined, { signal });
  return (servers ?? []).slice(0, MAX_DESCRIPTIONS);
}
