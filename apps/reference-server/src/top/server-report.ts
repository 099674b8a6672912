import type { ClientSession } from '@bulkhead/client';
import {
  type DataValue,
  ExtensionObject,
  isBad,
  NodeId,
  ServerDiagnosticsSummaryDataType,
  SessionDiagnosticsDataType,
  SessionSecurityDiagnosticsDataType,
  type StructureType,
  VariableIds,
} from '@bulkhead/types';

/** A caller as the server's diagnostics tell it: its Sessions and what they have asked for so far. */
export interface CallerReport {
  /** Its user's name, else its ApplicationUri. */
  readonly caller: string;
  readonly sessions: number;
  readonly subscriptions: number;
  readonly items: number;
  readonly waitingPublishRequests: number;
  readonly requests: number;
  readonly errors: number;
}

/** A server at one moment. */
export interface ServerReport {
  /** Of a clock that only goes forward. */
  readonly atMs: number;
  readonly callers: readonly CallerReport[];
  readonly summary: ServerDiagnosticsSummaryDataType | undefined;
}

const nodeIds = [
  VariableIds.Server_ServerDiagnostics_ServerDiagnosticsSummary,
  VariableIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionDiagnosticsArray,
  VariableIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionSecurityDiagnosticsArray,
].map((id) => NodeId.numeric(0, id));

/**
 * Reads the diagnostics of a server. Names of users are missing where the session may not read them.
 * @throws UaStatusError of the request; Error when the server has no diagnostics of Sessions
 */
export async function readServerReport(session: ClientSession, nowMs: () => number): Promise<ServerReport> {
  const [summary, sessions, security] = await session.readValues(nodeIds);
  const atMs = nowMs();
  if (sessions === undefined || isBad(sessions.statusCode)) throw new Error('the server has no diagnostics of Sessions to read');
  return {
    atMs,
    callers: byCaller(structuresOf(SessionDiagnosticsDataType, sessions), userNames(security)),
    summary: structuresOf(ServerDiagnosticsSummaryDataType, summary)[0],
  };
}

function userNames(security: DataValue | undefined): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { sessionId, clientUserIdOfSession, authenticationMechanism } of structuresOf(SessionSecurityDiagnosticsDataType, security)) {
    if (clientUserIdOfSession !== null && authenticationMechanism !== 'Anonymous') names.set(sessionId.toString(), clientUserIdOfSession);
  }
  return names;
}

function byCaller(sessions: readonly SessionDiagnosticsDataType[], users: ReadonlyMap<string, string>): CallerReport[] {
  const reports = new Map<string, CallerReport>();
  for (const session of sessions) {
    const caller = users.get(session.sessionId.toString()) ?? session.clientDescription.applicationUri ?? session.sessionName ?? '?';
    const before = reports.get(caller) ?? nothing(caller);
    reports.set(caller, {
      caller,
      sessions: before.sessions + 1,
      subscriptions: before.subscriptions + session.currentSubscriptionsCount,
      items: before.items + session.currentMonitoredItemsCount,
      waitingPublishRequests: before.waitingPublishRequests + session.currentPublishRequestsInQueue,
      requests: before.requests + session.totalRequestCount.totalCount,
      errors: before.errors + session.totalRequestCount.errorCount,
    });
  }
  return [...reports.values()];
}

function nothing(caller: string): CallerReport {
  return { caller, sessions: 0, subscriptions: 0, items: 0, waitingPublishRequests: 0, requests: 0, errors: 0 };
}

function structuresOf<T>(type: StructureType<T>, data: DataValue | undefined): readonly T[] {
  const { value } = data?.value ?? {};
  const objects = Array.isArray(value) ? (value as unknown[]) : [value];
  return objects
    .filter((object) => object instanceof ExtensionObject && object.is(type as StructureType<unknown>))
    .map((object) => (object as ExtensionObject).decode(type));
}
