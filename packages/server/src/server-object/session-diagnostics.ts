import type { ServiceName, SessionRequestCounts } from '@bulkhead/dispatcher';
import type { Session } from '@bulkhead/session';
import {
  ApplicationDescription,
  ApplicationType,
  DateTime,
  LocalizedText,
  type ServiceCounterDataType,
  SessionDiagnosticsDataType,
  type SessionSecurityDiagnosticsDataType,
  type SubscriptionDiagnosticsDataType,
  UserTokenType,
} from '@bulkhead/types';
import type { ServerParts } from '../wiring.ts';

/** The services that SessionDiagnosticsDataType counts one by one. */
const countedServices = [
  'Read',
  'HistoryRead',
  'Write',
  'HistoryUpdate',
  'Call',
  'CreateMonitoredItems',
  'ModifyMonitoredItems',
  'SetMonitoringMode',
  'SetTriggering',
  'DeleteMonitoredItems',
  'CreateSubscription',
  'ModifySubscription',
  'SetPublishingMode',
  'Publish',
  'Republish',
  'TransferSubscriptions',
  'DeleteSubscriptions',
  'AddNodes',
  'AddReferences',
  'DeleteNodes',
  'DeleteReferences',
  'Browse',
  'BrowseNext',
  'TranslateBrowsePathsToNodeIds',
  'QueryFirst',
  'QueryNext',
  'RegisterNodes',
  'UnregisterNodes',
] as const satisfies readonly ServiceName[];

type ServiceCounters = { [Name in (typeof countedServices)[number] as `${Uncapitalize<Name>}Count`]: ServiceCounterDataType };

/** What the Sessions are and did. OPC 10000-5 §12.12. */
export function sessionDiagnosticsOf(
  parts: ServerParts,
  subscriptions: readonly SubscriptionDiagnosticsDataType[],
): readonly SessionDiagnosticsDataType[] {
  const bySession = groupBySession(subscriptions);
  return Array.from(parts.sessions.sessions(), (session) =>
    diagnosticsOf(session, parts, bySession.get(session.sessionId.toString()) ?? []),
  );
}

function diagnosticsOf(
  session: Session,
  { runtime, subscriptions, dispatcher }: ServerParts,
  own: readonly SubscriptionDiagnosticsDataType[],
): SessionDiagnosticsDataType {
  const counts = dispatcher.diagnostics.ofSession(session);
  const lastContactMs = session.isActivated ? session.expiresAtMs - session.timeoutMs : session.createdAtMs;
  const utcAt = (nowMs: number): DateTime =>
    DateTime.fromUnixMs(runtime.clock.utcNow().unixMs - Math.round(runtime.clock.nowMs() - nowMs), 0);
  return SessionDiagnosticsDataType.create({
    sessionId: session.sessionId,
    sessionName: session.sessionName,
    clientDescription: ApplicationDescription.create({
      discoveryUrls: [],
      applicationUri: session.clientApplicationUri,
      applicationName: new LocalizedText(session.clientApplicationName),
      applicationType: ApplicationType.Client,
    }),
    endpointUrl: session.channel.endpointUrl,
    localeIds: session.localeIds,
    actualSessionTimeout: session.timeoutMs,
    maxResponseMessageSize: session.maxResponseMessageBytes,
    clientConnectionTime: utcAt(session.createdAtMs),
    clientLastContactTime: utcAt(lastContactMs),
    currentSubscriptionsCount: own.length,
    currentMonitoredItemsCount: own.reduce((sum, { monitoredItemCount }) => sum + monitoredItemCount, 0),
    currentPublishRequestsInQueue: subscriptions.queuedPublishCount(session),
    totalRequestCount: { totalCount: counts.all.total, errorCount: counts.all.errors },
    unauthorizedRequestCount: counts.unauthorized,
    ...serviceCounters(counts),
  });
}

/** Who is behind a Session and how it is secured. OPC 10000-5 §12.13. */
export function securityDiagnosticsOf(session: Session): SessionSecurityDiagnosticsDataType {
  const { channel, identity } = session;
  const userId = identity.name ?? null;
  return {
    sessionId: session.sessionId,
    clientUserIdOfSession: userId,
    clientUserIdHistory: [userId],
    authenticationMechanism: mechanisms[identity.kind],
    encoding: 'UA Binary',
    transportProtocol: channel.transportProfileUri,
    securityMode: channel.securityMode,
    securityPolicyUri: channel.securityPolicyUri,
    clientCertificate: session.seed.clientCertificate?.der ?? null,
  };
}

const mechanisms: Readonly<Record<UserTokenType, string>> = {
  [UserTokenType.Anonymous]: 'Anonymous',
  [UserTokenType.UserName]: 'UserName',
  [UserTokenType.Certificate]: 'Certificate',
  [UserTokenType.IssuedToken]: 'IssuedToken',
};

function serviceCounters(counts: SessionRequestCounts): ServiceCounters {
  const counters = countedServices.map((name) => {
    const { total, errors } = counts.of(name);
    return [`${name.charAt(0).toLowerCase()}${name.slice(1)}Count`, { totalCount: total, errorCount: errors }];
  });
  return Object.fromEntries(counters) as ServiceCounters;
}

function groupBySession(
  subscriptions: readonly SubscriptionDiagnosticsDataType[],
): ReadonlyMap<string, readonly SubscriptionDiagnosticsDataType[]> {
  const groups = new Map<string, SubscriptionDiagnosticsDataType[]>();
  for (const subscription of subscriptions) {
    const id = subscription.sessionId.toString();
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [subscription]);
    else group.push(subscription);
  }
  return groups;
}
