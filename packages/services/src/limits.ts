/** What one request may ask for; published in ServerCapabilities and enforced, from the same object. OPC 10000-5 §6.3.11. */
export interface OperationLimits {
  readonly maxNodesPerRead: number;
  readonly maxNodesPerWrite: number;
  readonly maxNodesPerMethodCall: number;
  readonly maxNodesPerBrowse: number;
  readonly maxNodesPerRegisterNodes: number;
  readonly maxNodesPerTranslateBrowsePathsToNodeIds: number;
  readonly maxMonitoredItemsPerCall: number;
  /** Continuation points of Browse that one Session may hold. */
  readonly maxBrowseContinuationPoints: number;
  /** Most references in one Browse result, whatever the client asks for. */
  readonly maxReferencesPerNode: number;
}

export const defaultOperationLimits: OperationLimits = {
  maxNodesPerRead: 10_000,
  maxNodesPerWrite: 10_000,
  maxNodesPerMethodCall: 1_000,
  maxNodesPerBrowse: 5_000,
  maxNodesPerRegisterNodes: 10_000,
  maxNodesPerTranslateBrowsePathsToNodeIds: 5_000,
  maxMonitoredItemsPerCall: 10_000,
  maxBrowseContinuationPoints: 50,
  maxReferencesPerNode: 10_000,
};
