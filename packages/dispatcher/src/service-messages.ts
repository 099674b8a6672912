import type * as ua from '@bulkhead/types';

/** Request and response of each service of OPC 10000-4 that travels in a SecureChannel's messages. */
export interface ServiceMessages {
  FindServers: [ua.FindServersRequest, ua.FindServersResponse];
  FindServersOnNetwork: [ua.FindServersOnNetworkRequest, ua.FindServersOnNetworkResponse];
  GetEndpoints: [ua.GetEndpointsRequest, ua.GetEndpointsResponse];
  RegisterServer: [ua.RegisterServerRequest, ua.RegisterServerResponse];
  RegisterServer2: [ua.RegisterServer2Request, ua.RegisterServer2Response];
  CreateSession: [ua.CreateSessionRequest, ua.CreateSessionResponse];
  ActivateSession: [ua.ActivateSessionRequest, ua.ActivateSessionResponse];
  CloseSession: [ua.CloseSessionRequest, ua.CloseSessionResponse];
  Cancel: [ua.CancelRequest, ua.CancelResponse];
  AddNodes: [ua.AddNodesRequest, ua.AddNodesResponse];
  AddReferences: [ua.AddReferencesRequest, ua.AddReferencesResponse];
  DeleteNodes: [ua.DeleteNodesRequest, ua.DeleteNodesResponse];
  DeleteReferences: [ua.DeleteReferencesRequest, ua.DeleteReferencesResponse];
  Browse: [ua.BrowseRequest, ua.BrowseResponse];
  BrowseNext: [ua.BrowseNextRequest, ua.BrowseNextResponse];
  TranslateBrowsePathsToNodeIds: [ua.TranslateBrowsePathsToNodeIdsRequest, ua.TranslateBrowsePathsToNodeIdsResponse];
  RegisterNodes: [ua.RegisterNodesRequest, ua.RegisterNodesResponse];
  UnregisterNodes: [ua.UnregisterNodesRequest, ua.UnregisterNodesResponse];
  QueryFirst: [ua.QueryFirstRequest, ua.QueryFirstResponse];
  QueryNext: [ua.QueryNextRequest, ua.QueryNextResponse];
  Read: [ua.ReadRequest, ua.ReadResponse];
  HistoryRead: [ua.HistoryReadRequest, ua.HistoryReadResponse];
  Write: [ua.WriteRequest, ua.WriteResponse];
  HistoryUpdate: [ua.HistoryUpdateRequest, ua.HistoryUpdateResponse];
  Call: [ua.CallRequest, ua.CallResponse];
  CreateMonitoredItems: [ua.CreateMonitoredItemsRequest, ua.CreateMonitoredItemsResponse];
  ModifyMonitoredItems: [ua.ModifyMonitoredItemsRequest, ua.ModifyMonitoredItemsResponse];
  SetMonitoringMode: [ua.SetMonitoringModeRequest, ua.SetMonitoringModeResponse];
  SetTriggering: [ua.SetTriggeringRequest, ua.SetTriggeringResponse];
  DeleteMonitoredItems: [ua.DeleteMonitoredItemsRequest, ua.DeleteMonitoredItemsResponse];
  CreateSubscription: [ua.CreateSubscriptionRequest, ua.CreateSubscriptionResponse];
  ModifySubscription: [ua.ModifySubscriptionRequest, ua.ModifySubscriptionResponse];
  SetPublishingMode: [ua.SetPublishingModeRequest, ua.SetPublishingModeResponse];
  Publish: [ua.PublishRequest, ua.PublishResponse];
  Republish: [ua.RepublishRequest, ua.RepublishResponse];
  TransferSubscriptions: [ua.TransferSubscriptionsRequest, ua.TransferSubscriptionsResponse];
  DeleteSubscriptions: [ua.DeleteSubscriptionsRequest, ua.DeleteSubscriptionsResponse];
}

export type ServiceName = keyof ServiceMessages;
