import { MethodNode, type ReadCallback, VariableNode } from '@bulkhead/address-space';
import {
  BuildInfo,
  BuiltInType,
  DateTime,
  ExtensionObject,
  LocalizedText,
  MethodIds,
  NodeId,
  type ServerState,
  ServerStatusDataType,
  StatusCodes,
  UaStatusError,
  VariableIds,
  Variant,
} from '@bulkhead/types';
import type { ResolvedServerOptions } from './server-options.ts';
import { serverProfiles } from './server-profiles.ts';
import type { ServerParts } from './wiring.ts';

/** Changes seldom enough that half a second is fine for those who watch it. */
const CLOCK_SAMPLING_MS = 500;
const SERVICE_LEVEL = 255;

/** State of the server as `ServerStatus` shows it. */
export interface LiveServerState {
  state: ServerState;
}

/**
 * Brings the standard Server object to life: status, capabilities with the limits that are enforced, and its methods.
 * OPC 10000-5 §6.3.
 */
export function bindServerObject(parts: ServerParts, options: ResolvedServerOptions, live: LiveServerState): void {
  const object = new ServerObject(parts);
  object.bindStatus(options, live);
  object.setCapabilities(options);
  object.bindMethods();
}

class ServerObject {
  readonly #parts: ServerParts;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  bindStatus(options: ResolvedServerOptions, live: LiveServerState): void {
    const { clock } = this.#parts.runtime;
    const startTime = clock.utcNow();
    const buildInfo = BuildInfo.create({
      productUri: options.productUri,
      manufacturerName: 'Bulkhead',
      productName: options.applicationName,
      softwareVersion: '0.1.0',
      buildNumber: '0',
      buildDate: DateTime.MIN,
    });
    const status = (): ServerStatusDataType =>
      ServerStatusDataType.create({ startTime, currentTime: clock.utcNow(), state: live.state, buildInfo });
    this.#bind(VariableIds.Server_ServerStatus, () => structure(ServerStatusDataType, status()));
    this.#bind(VariableIds.Server_ServerStatus_CurrentTime, () => clock.utcNow());
    this.#bind(VariableIds.Server_ServerStatus_State, () => live.state);
    this.#set(VariableIds.Server_ServerStatus_StartTime, startTime);
    this.#set(VariableIds.Server_ServerStatus_BuildInfo, structure(BuildInfo, buildInfo));
    this.#set(VariableIds.Server_ServerStatus_BuildInfo_ProductName, buildInfo.productName);
    this.#set(VariableIds.Server_ServerStatus_BuildInfo_ProductUri, buildInfo.productUri);
    this.#set(VariableIds.Server_ServerStatus_BuildInfo_ManufacturerName, buildInfo.manufacturerName);
    this.#set(VariableIds.Server_ServerStatus_BuildInfo_SoftwareVersion, buildInfo.softwareVersion);
    this.#set(VariableIds.Server_ServerStatus_BuildInfo_BuildNumber, buildInfo.buildNumber);
    this.#set(VariableIds.Server_ServerStatus_BuildInfo_BuildDate, buildInfo.buildDate);
    this.#set(VariableIds.Server_ServerStatus_SecondsTillShutdown, 0);
    this.#set(VariableIds.Server_ServerStatus_ShutdownReason, LocalizedText.NULL);
    this.#set(VariableIds.Server_ServiceLevel, SERVICE_LEVEL);
    this.#set(VariableIds.Server_Auditing, false);
    this.#set(VariableIds.Server_ServerArray, [options.applicationUri]);
    this.#bind(VariableIds.Server_NamespaceArray, () => this.#parts.space.namespaces.all.map(({ uri }) => uri));
  }

  setCapabilities(options: ResolvedServerOptions): void {
    const { operationLimits, subscriptions, encodingLimits } = this.#parts;
    const subscriptionLimits = subscriptions.limits;
    const capability = (name: string, value: unknown): void => this.#set(capabilityId(name), value);
    capability('ServerProfileArray', serverProfiles);
    capability('LocaleIdArray', ['en']);
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
  }

  bindMethods(): void {
    const { subscriptions } = this.#parts;
    this.#method(MethodIds.Server_GetMonitoredItems)?.bind(([subscriptionId], { session }) => {
      if (session === undefined) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'no Session');
      const { serverHandles, clientHandles } = subscriptions.getMonitoredItems(session, subscriptionId as number);
      return [serverHandles, clientHandles];
    });
    this.#method(MethodIds.Server_ResendData)?.bind(([subscriptionId], { session }) => {
      if (session === undefined) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'no Session');
      subscriptions.resendData(session, subscriptionId as number);
      return [];
    });
  }

  #bind(id: number, read: ReadCallback): void {
    this.#variable(id)?.bind({ read, minimumSamplingInterval: CLOCK_SAMPLING_MS });
  }

  #set(id: number, value: unknown): void {
    this.#variable(id)?.setValue(value);
  }

  #variable(id: number): VariableNode | undefined {
    const node = this.#parts.space.getNode(NodeId.numeric(0, id));
    return node instanceof VariableNode ? node : undefined;
  }

  #method(id: number): MethodNode | undefined {
    const node = this.#parts.space.getNode(NodeId.numeric(0, id));
    return node instanceof MethodNode ? node : undefined;
  }
}

function structure<T>(type: Parameters<typeof ExtensionObject.of<T>>[0], value: T): Variant {
  return Variant.scalar(BuiltInType.ExtensionObject, ExtensionObject.of(type, value));
}

function capabilityId(name: string): number {
  return VariableIds[`Server_ServerCapabilities_${name}` as keyof typeof VariableIds];
}
