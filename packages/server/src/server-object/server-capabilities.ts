import { NodeId, ObjectIds, RedundancySupport, ReferenceTypeIds, VariableIds } from '@bulkhead/types';
import type { ResolvedServerOptions } from '../server-options.ts';
import { serverProfiles } from '../server-profiles.ts';
import type { ServerParts } from '../wiring.ts';
import type { StandardNodes } from './standard-nodes.ts';

type CapabilityName<Name = keyof typeof VariableIds> = Name extends `Server_ServerCapabilities_${infer Capability}` ? Capability : never;

/** Those that NodeSets can use here. */
const modellingRules: readonly number[] = [
  ObjectIds.ModellingRule_Mandatory,
  ObjectIds.ModellingRule_Optional,
  ObjectIds.ModellingRule_ExposesItsArray,
  ObjectIds.ModellingRule_MandatoryPlaceholder,
  ObjectIds.ModellingRule_OptionalPlaceholder,
];

/** ServerCapabilities: the limits published are the ones enforced. OPC 10000-5 §6.3.2. */
export function setServerCapabilities(nodes: StandardNodes, parts: ServerParts, options: ResolvedServerOptions): void {
  const { operationLimits, encodingLimits } = parts;
  const subscriptionLimits = parts.subscriptions.limits;
  const capability = (name: CapabilityName, value: unknown): void => nodes.set(VariableIds[`Server_ServerCapabilities_${name}`], value);
  capability('ServerProfileArray', serverProfiles);
  capability('LocaleIdArray', ['en']);
  capability('SoftwareCertificates', []);
  capability('MinSupportedSampleRate', subscriptionLimits.minSamplingIntervalMs);
  capability('MaxBrowseContinuationPoints', operationLimits.maxBrowseContinuationPoints);
  capability('MaxQueryContinuationPoints', 0);
  capability('MaxHistoryContinuationPoints', 0);
  capability('MaxArrayLength', encodingLimits.maxArrayLength);
  capability('MaxStringLength', encodingLimits.maxStringBytes);
  capability('MaxByteStringLength', encodingLimits.maxByteStringBytes);
  capability('MaxSessions', options.maxSessionCount);
  capability('MaxSubscriptions', subscriptionLimits.maxSubscriptions);
  capability('MaxSubscriptionsPerSession', subscriptionLimits.maxSubscriptionsPerSession);
  capability('MaxMonitoredItems', subscriptionLimits.maxMonitoredItems);
  capability('MaxMonitoredItemsPerSubscription', subscriptionLimits.maxMonitoredItemsPerSubscription);
  capability('MaxMonitoredItemsQueueSize', subscriptionLimits.maxMonitoredItemsQueueSize);
  capability('OperationLimits_MaxNodesPerRead', operationLimits.maxNodesPerRead);
  capability('OperationLimits_MaxNodesPerWrite', operationLimits.maxNodesPerWrite);
  capability('OperationLimits_MaxNodesPerMethodCall', operationLimits.maxNodesPerMethodCall);
  capability('OperationLimits_MaxNodesPerBrowse', operationLimits.maxNodesPerBrowse);
  capability('OperationLimits_MaxNodesPerRegisterNodes', operationLimits.maxNodesPerRegisterNodes);
  capability('OperationLimits_MaxNodesPerTranslateBrowsePathsToNodeIds', operationLimits.maxNodesPerTranslateBrowsePathsToNodeIds);
  capability('OperationLimits_MaxMonitoredItemsPerCall', subscriptionLimits.maxMonitoredItemsPerCall);
  nodes.set(VariableIds.Server_ServerRedundancy_RedundancySupport, RedundancySupport.None);
  for (const rule of modellingRules) {
    parts.space.addReference(
      NodeId.numeric(0, ObjectIds.Server_ServerCapabilities_ModellingRules),
      NodeId.numeric(0, ReferenceTypeIds.Organizes),
      NodeId.numeric(0, rule),
    );
  }
}
