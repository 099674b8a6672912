import { MethodIds, NodeId, ObjectIds, VariableIds } from '@bulkhead/types';
import type { ServerParts } from '../wiring.ts';

/**
 * Optional parts of the standard model that this server doesn't support. They are taken out at the start, so that what a
 * client finds below Server works. OPC 10000-5 §6.3 names what is optional.
 */
const unsupportedNodes: readonly number[] = [
  // Of the Server object itself: redundancy, durable Subscriptions, session-less calls.
  VariableIds.Server_UrisVersion,
  VariableIds.Server_EstimatedReturnTime,
  MethodIds.Server_SetSubscriptionDurable,
  MethodIds.Server_RequestServerStateChange,
  VariableIds.Server_ServerRedundancy_RedundantServerArray,
  // One number per sampling interval: sampling is not limited to some intervals.
  VariableIds.Server_ServerDiagnostics_SamplingIntervalDiagnosticsArray,
  // Limits of services that aren't there: event filters, history, node management; and the list of conformance units.
  VariableIds.Server_ServerCapabilities_MaxSelectClauseParameters,
  VariableIds.Server_ServerCapabilities_MaxWhereClauseParameters,
  VariableIds.Server_ServerCapabilities_ConformanceUnits,
  VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerHistoryReadData,
  VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerHistoryReadEvents,
  VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerHistoryUpdateData,
  VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerHistoryUpdateEvents,
  VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerNodeManagement,
  // Without a default for the namespace everyone may do everything, which an empty list wouldn't say.
  VariableIds.OPCUANamespaceMetadata_DefaultRolePermissions,
  VariableIds.OPCUANamespaceMetadata_DefaultUserRolePermissions,
  // Whole facilities: history (OPC 10000-11), push management of certificates and users (-12, -18), PubSub (-14),
  // devices to provision (-21), network interfaces (-22), logs (-26).
  ObjectIds.HistoryServerCapabilities,
  ObjectIds.DefaultHAConfiguration,
  ObjectIds.DefaultHEConfiguration,
  ObjectIds.ServerConfiguration,
  ObjectIds.PublishSubscribe,
  ObjectIds.Resources,
  ObjectIds.ServerLog,
  // What those only organize, and so doesn't go with them.
  ObjectIds.ManagedApplications,
  ObjectIds.ProvisionableDevice,
  ObjectIds.LLDP,
  ObjectIds.TalkerStreams,
  ObjectIds.ListenerStreams,
  ObjectIds.Streams,
  ObjectIds.NetworkInterfaces,
  ObjectIds.MappingTables,
  ObjectIds.Communication,
  ObjectIds.Logs,
];

/** Takes out what this server doesn't support. */
export function removeUnsupportedNodes({ space }: ServerParts): void {
  for (const id of unsupportedNodes) space.deleteStandardNode(NodeId.numeric(0, id));
}
