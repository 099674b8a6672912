import * as ua from '@bulkhead/types';

/**
 * Requests that need no Session where session-less invocation is served: those of the service sets View (but RegisterNodes and
 * UnregisterNodes), Attribute, Method, NodeManagement and Query. OPC 10000-4 §6.3.1.
 */
export const sessionlessRequests: ReadonlySet<number> = new Set(
  [
    ua.BrowseRequest,
    ua.BrowseNextRequest,
    ua.TranslateBrowsePathsToNodeIdsRequest,
    ua.ReadRequest,
    ua.HistoryReadRequest,
    ua.WriteRequest,
    ua.HistoryUpdateRequest,
    ua.CallRequest,
    ua.AddNodesRequest,
    ua.AddReferencesRequest,
    ua.DeleteNodesRequest,
    ua.DeleteReferencesRequest,
    ua.QueryFirstRequest,
    ua.QueryNextRequest,
  ].map(({ binaryEncodingId }) => binaryEncodingId),
);
