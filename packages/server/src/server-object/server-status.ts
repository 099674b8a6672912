import { BuildInfo, DateTime, LocalizedText, ServerState, ServerStatusDataType, VariableIds } from '@bulkhead/types';
import type { ResolvedServerOptions } from '../server-options.ts';
import type { ServerParts } from '../wiring.ts';
import { localTimeZone } from './local-time-zone.ts';
import { ServiceLevel } from './service-level.ts';
import { type StandardNodes, structure } from './standard-nodes.ts';

/** State of the server as `ServerStatus` shows it. */
export interface LiveServerState {
  state: ServerState;
}

/** Nobody waits for anything once the server stops. */
const SECONDS_TILL_SHUTDOWN = 0;
const SHUTDOWN_REASON: LocalizedText = new LocalizedText('The server was stopped.', 'en');

/** ServerStatus, ServiceLevel, LocalTime and the arrays of names. OPC 10000-5 §6.3.1. */
export function bindServerStatus(nodes: StandardNodes, parts: ServerParts, options: ResolvedServerOptions, live: LiveServerState): void {
  const { clock } = parts.runtime;
  const startTime = clock.utcNow();
  const buildInfo = buildInfoOf(options);
  const shutdownReason = (): LocalizedText => (live.state === ServerState.Shutdown ? SHUTDOWN_REASON : LocalizedText.NULL);
  const status = (): ServerStatusDataType => ({
    startTime,
    currentTime: clock.utcNow(),
    state: live.state,
    buildInfo,
    secondsTillShutdown: SECONDS_TILL_SHUTDOWN,
    shutdownReason: shutdownReason(),
  });
  nodes.bind(VariableIds.Server_ServerStatus, () => structure(ServerStatusDataType, status()));
  nodes.bind(VariableIds.Server_ServerStatus_CurrentTime, () => clock.utcNow());
  nodes.bind(VariableIds.Server_ServerStatus_State, () => live.state);
  nodes.bind(VariableIds.Server_ServerStatus_ShutdownReason, shutdownReason);
  nodes.set(VariableIds.Server_ServerStatus_SecondsTillShutdown, SECONDS_TILL_SHUTDOWN);
  nodes.set(VariableIds.Server_ServerStatus_StartTime, startTime);
  nodes.set(VariableIds.Server_ServerStatus_BuildInfo, structure(BuildInfo, buildInfo));
  nodes.set(VariableIds.Server_ServerStatus_BuildInfo_ProductName, buildInfo.productName);
  nodes.set(VariableIds.Server_ServerStatus_BuildInfo_ProductUri, buildInfo.productUri);
  nodes.set(VariableIds.Server_ServerStatus_BuildInfo_ManufacturerName, buildInfo.manufacturerName);
  nodes.set(VariableIds.Server_ServerStatus_BuildInfo_SoftwareVersion, buildInfo.softwareVersion);
  nodes.set(VariableIds.Server_ServerStatus_BuildInfo_BuildNumber, buildInfo.buildNumber);
  nodes.set(VariableIds.Server_ServerStatus_BuildInfo_BuildDate, buildInfo.buildDate);
  showServiceLevel(nodes, parts, options);
  nodes.set(VariableIds.Server_Auditing, false);
  nodes.set(VariableIds.Server_ServerArray, [options.applicationUri]);
  nodes.bind(VariableIds.Server_NamespaceArray, () => parts.space.namespaces.uris);
  nodes.bind(VariableIds.Server_LocalTime, () => localTimeZone(clock.utcNow().unixMs));
}

/** A value of its own rather than one that is sampled: who subscribes to it learns of each change at once. */
function showServiceLevel(nodes: StandardNodes, { sessions }: ServerParts, { maxSessionCount }: ResolvedServerOptions): void {
  const level = new ServiceLevel(maxSessionCount);
  const show = (): void => nodes.set(VariableIds.Server_ServiceLevel, level.value);
  const update = (): void => {
    if (level.update(sessions.sessionCount)) show();
  };
  show();
  sessions.onCreated(update);
  sessions.onClosed(update);
}

function buildInfoOf(options: ResolvedServerOptions): BuildInfo {
  return {
    productUri: options.productUri,
    manufacturerName: 'Bulkhead',
    productName: options.applicationName,
    softwareVersion: '0.1.0',
    buildNumber: '0',
    buildDate: DateTime.MIN,
  };
}
