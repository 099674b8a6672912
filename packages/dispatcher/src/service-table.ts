import type { EstablishingService, ServiceHandler } from '@bulkhead/contracts';
import type { ProtectedWork } from '@bulkhead/resource-isolation';
import * as ua from '@bulkhead/types';
import type { ServiceMessages, ServiceName } from './service-messages.ts';

/** Service sets of OPC 10000-4 §5. */
export type ServiceSet =
  | 'Discovery'
  | 'Session'
  | 'NodeManagement'
  | 'View'
  | 'Query'
  | 'Attribute'
  | 'Method'
  | 'MonitoredItem'
  | 'Subscription';

/**
 * Which Session a request needs before it may wait: `activated` on this channel, `created` (activation isn't needed), or
 * `none`. ActivateSession finds its Session itself, because that may still belong to another channel.
 */
export type SessionNeed = 'activated' | 'created' | 'none';

/** One service: how it is told apart, what it needs, what it may do. */
export interface ServiceDefinition {
  readonly name: ServiceName;
  readonly serviceSet: ServiceSet;
  readonly request: ua.RequestType<AnyRequest>;
  readonly response: ua.ResponseType<unknown>;
  readonly session: SessionNeed;
  /** May give its execution slot back while it waits for something to happen. */
  readonly isParkable: boolean;
  /** Starts only with a place of the `SessionGate`, if there is one. */
  readonly gate: EstablishingService | undefined;
  /**
   * `Control` gives resources back, `Reconnect` recovers what a broken connection left: these should get through when others
   * don't. The name alone opens no reserve; a live Session has to vouch for it.
   */
  readonly work: ProtectedWork | undefined;
}

/** What all requests have in common. */
export interface AnyRequest {
  requestHeader: ua.RequestHeader;
}

/** Handlers by service; a service without one answers `BadServiceUnsupported`. */
export type ServiceHandlers = {
  readonly [Name in ServiceName]?: ServiceHandler<ServiceMessages[Name][0], ServiceMessages[Name][1]>;
};

type Remark = 'parkable' | ProtectedWork;

function service<Name extends ServiceName>(
  name: Name,
  serviceSet: ServiceSet,
  session: SessionNeed,
  request: ua.RequestType<ServiceMessages[Name][0]>,
  response: ua.ResponseType<ServiceMessages[Name][1]>,
  remark?: Remark,
): ServiceDefinition {
  return {
    name,
    serviceSet,
    request,
    response,
    session,
    isParkable: remark === 'parkable',
    gate: name === 'CreateSession' || name === 'ActivateSession' ? name : undefined,
    work: remark === 'parkable' ? undefined : remark,
  };
}

/** Every service of OPC 10000-4 but those of the SecureChannel itself. */
export const serviceTable: readonly ServiceDefinition[] = Object.freeze([
  service('FindServers', 'Discovery', 'none', ua.FindServersRequest, ua.FindServersResponse),
  service('FindServersOnNetwork', 'Discovery', 'none', ua.FindServersOnNetworkRequest, ua.FindServersOnNetworkResponse),
  service('GetEndpoints', 'Discovery', 'none', ua.GetEndpointsRequest, ua.GetEndpointsResponse),
  service('RegisterServer', 'Discovery', 'none', ua.RegisterServerRequest, ua.RegisterServerResponse),
  service('RegisterServer2', 'Discovery', 'none', ua.RegisterServer2Request, ua.RegisterServer2Response),

  service('CreateSession', 'Session', 'none', ua.CreateSessionRequest, ua.CreateSessionResponse),
  service('ActivateSession', 'Session', 'none', ua.ActivateSessionRequest, ua.ActivateSessionResponse, 'Reconnect'),
  service('CloseSession', 'Session', 'created', ua.CloseSessionRequest, ua.CloseSessionResponse, 'Control'),
  service('Cancel', 'Session', 'activated', ua.CancelRequest, ua.CancelResponse, 'Control'),

  service('AddNodes', 'NodeManagement', 'activated', ua.AddNodesRequest, ua.AddNodesResponse),
  service('AddReferences', 'NodeManagement', 'activated', ua.AddReferencesRequest, ua.AddReferencesResponse),
  service('DeleteNodes', 'NodeManagement', 'activated', ua.DeleteNodesRequest, ua.DeleteNodesResponse),
  service('DeleteReferences', 'NodeManagement', 'activated', ua.DeleteReferencesRequest, ua.DeleteReferencesResponse),

  service('Browse', 'View', 'activated', ua.BrowseRequest, ua.BrowseResponse),
  service('BrowseNext', 'View', 'activated', ua.BrowseNextRequest, ua.BrowseNextResponse),
  service(
    'TranslateBrowsePathsToNodeIds',
    'View',
    'activated',
    ua.TranslateBrowsePathsToNodeIdsRequest,
    ua.TranslateBrowsePathsToNodeIdsResponse,
  ),
  service('RegisterNodes', 'View', 'activated', ua.RegisterNodesRequest, ua.RegisterNodesResponse),
  service('UnregisterNodes', 'View', 'activated', ua.UnregisterNodesRequest, ua.UnregisterNodesResponse, 'Control'),

  service('QueryFirst', 'Query', 'activated', ua.QueryFirstRequest, ua.QueryFirstResponse),
  service('QueryNext', 'Query', 'activated', ua.QueryNextRequest, ua.QueryNextResponse),

  service('Read', 'Attribute', 'activated', ua.ReadRequest, ua.ReadResponse),
  service('HistoryRead', 'Attribute', 'activated', ua.HistoryReadRequest, ua.HistoryReadResponse),
  service('Write', 'Attribute', 'activated', ua.WriteRequest, ua.WriteResponse),
  service('HistoryUpdate', 'Attribute', 'activated', ua.HistoryUpdateRequest, ua.HistoryUpdateResponse),

  service('Call', 'Method', 'activated', ua.CallRequest, ua.CallResponse),

  service('CreateMonitoredItems', 'MonitoredItem', 'activated', ua.CreateMonitoredItemsRequest, ua.CreateMonitoredItemsResponse),
  service('ModifyMonitoredItems', 'MonitoredItem', 'activated', ua.ModifyMonitoredItemsRequest, ua.ModifyMonitoredItemsResponse),
  service('SetMonitoringMode', 'MonitoredItem', 'activated', ua.SetMonitoringModeRequest, ua.SetMonitoringModeResponse),
  service('SetTriggering', 'MonitoredItem', 'activated', ua.SetTriggeringRequest, ua.SetTriggeringResponse),
  service('DeleteMonitoredItems', 'MonitoredItem', 'activated', ua.DeleteMonitoredItemsRequest, ua.DeleteMonitoredItemsResponse, 'Control'),

  service('CreateSubscription', 'Subscription', 'activated', ua.CreateSubscriptionRequest, ua.CreateSubscriptionResponse),
  service('ModifySubscription', 'Subscription', 'activated', ua.ModifySubscriptionRequest, ua.ModifySubscriptionResponse),
  service('SetPublishingMode', 'Subscription', 'activated', ua.SetPublishingModeRequest, ua.SetPublishingModeResponse),
  service('Publish', 'Subscription', 'activated', ua.PublishRequest, ua.PublishResponse, 'parkable'),
  service('Republish', 'Subscription', 'activated', ua.RepublishRequest, ua.RepublishResponse, 'Reconnect'),
  service(
    'TransferSubscriptions',
    'Subscription',
    'activated',
    ua.TransferSubscriptionsRequest,
    ua.TransferSubscriptionsResponse,
    'Reconnect',
  ),
  service('DeleteSubscriptions', 'Subscription', 'activated', ua.DeleteSubscriptionsRequest, ua.DeleteSubscriptionsResponse, 'Control'),
]);
