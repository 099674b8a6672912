import * as ua from '@bulkhead/types';
import type { RequestOptions } from '../connection/client-connection.ts';
import type { AnyRequest, AnyResponse, RequestFields } from '../connection/service-message.ts';

/** Sends a request in a Session. */
export interface ServiceCaller {
  request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: ua.RequestType<Request>,
    responseType: ua.ResponseType<Response>,
    fields: RequestFields<Request>,
    options?: RequestOptions,
  ): Promise<Response>;
}

/** One service: request fields in, response out. @throws as `ClientConnection.request` */
export type Service<Request extends AnyRequest, Response extends AnyResponse> = (
  fields: RequestFields<Request>,
  options?: RequestOptions,
) => Promise<Response>;

/** Every service of a Session by its name in OPC 10000-4, as it travels: nothing added, nothing checked. */
export interface SessionServices {
  readonly cancel: Service<ua.CancelRequest, ua.CancelResponse>;
  readonly browse: Service<ua.BrowseRequest, ua.BrowseResponse>;
  readonly browseNext: Service<ua.BrowseNextRequest, ua.BrowseNextResponse>;
  readonly translateBrowsePathsToNodeIds: Service<ua.TranslateBrowsePathsToNodeIdsRequest, ua.TranslateBrowsePathsToNodeIdsResponse>;
  readonly registerNodes: Service<ua.RegisterNodesRequest, ua.RegisterNodesResponse>;
  readonly unregisterNodes: Service<ua.UnregisterNodesRequest, ua.UnregisterNodesResponse>;
  readonly read: Service<ua.ReadRequest, ua.ReadResponse>;
  readonly write: Service<ua.WriteRequest, ua.WriteResponse>;
  readonly historyRead: Service<ua.HistoryReadRequest, ua.HistoryReadResponse>;
  readonly historyUpdate: Service<ua.HistoryUpdateRequest, ua.HistoryUpdateResponse>;
  readonly call: Service<ua.CallRequest, ua.CallResponse>;
  readonly createMonitoredItems: Service<ua.CreateMonitoredItemsRequest, ua.CreateMonitoredItemsResponse>;
  readonly modifyMonitoredItems: Service<ua.ModifyMonitoredItemsRequest, ua.ModifyMonitoredItemsResponse>;
  readonly setMonitoringMode: Service<ua.SetMonitoringModeRequest, ua.SetMonitoringModeResponse>;
  readonly setTriggering: Service<ua.SetTriggeringRequest, ua.SetTriggeringResponse>;
  readonly deleteMonitoredItems: Service<ua.DeleteMonitoredItemsRequest, ua.DeleteMonitoredItemsResponse>;
  readonly createSubscription: Service<ua.CreateSubscriptionRequest, ua.CreateSubscriptionResponse>;
  readonly modifySubscription: Service<ua.ModifySubscriptionRequest, ua.ModifySubscriptionResponse>;
  readonly setPublishingMode: Service<ua.SetPublishingModeRequest, ua.SetPublishingModeResponse>;
  readonly publish: Service<ua.PublishRequest, ua.PublishResponse>;
  readonly republish: Service<ua.RepublishRequest, ua.RepublishResponse>;
  readonly transferSubscriptions: Service<ua.TransferSubscriptionsRequest, ua.TransferSubscriptionsResponse>;
  readonly deleteSubscriptions: Service<ua.DeleteSubscriptionsRequest, ua.DeleteSubscriptionsResponse>;
}

/** The services of whatever sends requests. */
export function createSessionServices(caller: ServiceCaller): SessionServices {
  const service =
    <Request extends AnyRequest, Response extends AnyResponse>(
      requestType: ua.RequestType<Request>,
      responseType: ua.ResponseType<Response>,
    ): Service<Request, Response> =>
    (fields, options) =>
      caller.request(requestType, responseType, fields, options);
  return {
    cancel: service(ua.CancelRequest, ua.CancelResponse),
    browse: service(ua.BrowseRequest, ua.BrowseResponse),
    browseNext: service(ua.BrowseNextRequest, ua.BrowseNextResponse),
    translateBrowsePathsToNodeIds: service(ua.TranslateBrowsePathsToNodeIdsRequest, ua.TranslateBrowsePathsToNodeIdsResponse),
    registerNodes: service(ua.RegisterNodesRequest, ua.RegisterNodesResponse),
    unregisterNodes: service(ua.UnregisterNodesRequest, ua.UnregisterNodesResponse),
    read: service(ua.ReadRequest, ua.ReadResponse),
    write: service(ua.WriteRequest, ua.WriteResponse),
    historyRead: service(ua.HistoryReadRequest, ua.HistoryReadResponse),
    historyUpdate: service(ua.HistoryUpdateRequest, ua.HistoryUpdateResponse),
    call: service(ua.CallRequest, ua.CallResponse),
    createMonitoredItems: service(ua.CreateMonitoredItemsRequest, ua.CreateMonitoredItemsResponse),
    modifyMonitoredItems: service(ua.ModifyMonitoredItemsRequest, ua.ModifyMonitoredItemsResponse),
    setMonitoringMode: service(ua.SetMonitoringModeRequest, ua.SetMonitoringModeResponse),
    setTriggering: service(ua.SetTriggeringRequest, ua.SetTriggeringResponse),
    deleteMonitoredItems: service(ua.DeleteMonitoredItemsRequest, ua.DeleteMonitoredItemsResponse),
    createSubscription: service(ua.CreateSubscriptionRequest, ua.CreateSubscriptionResponse),
    modifySubscription: service(ua.ModifySubscriptionRequest, ua.ModifySubscriptionResponse),
    setPublishingMode: service(ua.SetPublishingModeRequest, ua.SetPublishingModeResponse),
    publish: service(ua.PublishRequest, ua.PublishResponse),
    republish: service(ua.RepublishRequest, ua.RepublishResponse),
    transferSubscriptions: service(ua.TransferSubscriptionsRequest, ua.TransferSubscriptionsResponse),
    deleteSubscriptions: service(ua.DeleteSubscriptionsRequest, ua.DeleteSubscriptionsResponse),
  };
}
