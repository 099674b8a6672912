import type { SessionCloseReason } from '@bulkhead/session';
import {
  NodeId,
  ObjectIds,
  ServerDiagnosticsSummaryDataType,
  SessionDiagnosticsDataType,
  SessionSecurityDiagnosticsDataType,
  SubscriptionDiagnosticsDataType,
  VariableIds,
  type Variant,
} from '@bulkhead/types';
import type { ServerParts } from '../wiring.ts';
import { securityDiagnosticsOf, sessionDiagnosticsOf } from './session-diagnostics.ts';
import { Snapshot } from './snapshot.ts';
import { LIVE_SAMPLING_MS, type StandardNodes, structure, structures } from './standard-nodes.ts';

/** Ways to end that are the client's fault rather than its wish. */
const aborts: ReadonlySet<SessionCloseReason> = new Set<SessionCloseReason>(['neverActivated', 'usedBeforeActivation', 'evicted']);
const CURRENT_READ = 1;

const DIAGNOSTICS = 'Server_ServerDiagnostics_';
const SUMMARY = `${DIAGNOSTICS}ServerDiagnosticsSummary_` as const;

type CounterName = keyof ServerDiagnosticsSummaryDataType;
type CounterReaders = { readonly [Name in CounterName]: () => number };

/**
 * ServerDiagnostics: always on. Counters are read where they are kept; arrays are made at most every half second, however
 * often they are read, since each read of them costs work and memory for every Session and Subscription. OPC 10000-5 §6.3.3.
 */
export function bindServerDiagnostics(nodes: StandardNodes, parts: ServerParts): void {
  const { runtime } = parts;
  const subscriptions = new Snapshot(runtime.clock, LIVE_SAMPLING_MS, () => allSubscriptions(parts));
  bindSummary(nodes, createCounters(parts, subscriptions));
  const bindArray = (name: ArrayName, make: () => Variant): void => {
    const snapshot = new Snapshot(runtime.clock, LIVE_SAMPLING_MS, make);
    nodes.bind(VariableIds[`${DIAGNOSTICS}${name}`], () => snapshot.value);
  };
  bindArray('SubscriptionDiagnosticsArray', () => structures(SubscriptionDiagnosticsDataType, subscriptions.value));
  bindArray('SessionsDiagnosticsSummary_SessionDiagnosticsArray', () =>
    structures(SessionDiagnosticsDataType, sessionDiagnosticsOf(parts, subscriptions.value)),
  );
  bindArray('SessionsDiagnosticsSummary_SessionSecurityDiagnosticsArray', () =>
    structures(SessionSecurityDiagnosticsDataType, Array.from(parts.sessions.sessions(), securityDiagnosticsOf)),
  );
  const enabled = nodes.variable(VariableIds.Server_ServerDiagnostics_EnabledFlag);
  enabled.accessLevel = CURRENT_READ;
  enabled.setValue(true);
}

type ArrayName =
  | 'SubscriptionDiagnosticsArray'
  | 'SessionsDiagnosticsSummary_SessionDiagnosticsArray'
  | 'SessionsDiagnosticsSummary_SessionSecurityDiagnosticsArray';

function bindSummary(nodes: StandardNodes, counters: CounterReaders): void {
  const entries = Object.entries(counters) as [CounterName, () => number][];
  for (const [name, read] of entries) nodes.bind(VariableIds[`${SUMMARY}${upperFirst(name)}`], read);
  nodes.bind(VariableIds.Server_ServerDiagnostics_ServerDiagnosticsSummary, () => {
    const values = Object.fromEntries(entries.map(([name, read]) => [name, read()]));
    return structure(ServerDiagnosticsSummaryDataType, ServerDiagnosticsSummaryDataType.create(values));
  });
}

/** Each counter of the summary, in the words of OPC 10000-5 §12.9. */
function createCounters(parts: ServerParts, all: Snapshot<readonly SubscriptionDiagnosticsDataType[]>): CounterReaders {
  const { sessions, subscriptions, dispatcher, connections, space } = parts;
  const requests = dispatcher.diagnostics;
  let closed = 0;
  let timedOut = 0;
  let aborted = 0;
  sessions.onClosed((_session, _deleteSubscriptions, reason) => {
    closed++;
    if (reason === 'timeout') timedOut++;
    else if (aborts.has(reason)) aborted++;
  });
  // A SecureChannel that is refused or breaks its rules ends with its connection, and no request gets as far as a service.
  const rejectedChannels = (): number => connections.diagnostics.closed.SecurityRejected;
  return {
    serverViewCount: () => countChildren(space, ObjectIds.ViewsFolder),
    currentSessionCount: () => sessions.sessionCount,
    cumulatedSessionCount: () => closed + sessions.sessionCount,
    securityRejectedSessionCount: () => requests.securityRejectedSessions,
    rejectedSessionCount: () => requests.rejectedSessions,
    sessionTimeoutCount: () => timedOut,
    sessionAbortCount: () => aborted,
    currentSubscriptionCount: () => subscriptions.totals.subscriptions,
    cumulatedSubscriptionCount: () => subscriptions.createdCount,
    publishingIntervalCount: () => new Set(all.value.map(({ publishingInterval }) => publishingInterval)).size,
    securityRejectedRequestsCount: () => requests.securityRejectedRequests + rejectedChannels(),
    rejectedRequestsCount: () => requests.rejectedRequests + rejectedChannels(),
  };
}

function allSubscriptions({ subscriptions }: ServerParts): readonly SubscriptionDiagnosticsDataType[] {
  return subscriptions.subscriptionIds().flatMap((id) => subscriptions.diagnostics(id) ?? []);
}

function countChildren(space: ServerParts['space'], id: number): number {
  let count = 0;
  for (const { isForward, type } of space.getNode(NodeId.numeric(0, id))?.references() ?? []) if (isForward && type.isHierarchical) count++;
  return count;
}

function upperFirst<Text extends string>(text: Text): Capitalize<Text> {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;
}
