import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime, SecureChannelContext } from '@bulkhead/contracts';
import { CertificateStore } from '@bulkhead/security';
import {
  ActivateSessionRequest,
  AttributeIds,
  CloseSessionRequest,
  CreateMonitoredItemsRequest,
  CreateSessionRequest,
  CreateSubscriptionRequest,
  DateTime,
  DeleteSubscriptionsRequest,
  ExtensionObject,
  MessageSecurityMode,
  MonitoredItemCreateRequest,
  NodeId,
  ReadValueId,
  RequestHeader,
  ServerDiagnosticsSummaryDataType,
  ServerState,
  ServerStatusDataType,
  SessionDiagnosticsDataType,
  type StructureType,
  SubscriptionDiagnosticsDataType,
  TimestampsToReturn,
  VariableIds,
} from '@bulkhead/types';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resolveServerOptions, type ServerOptions, type ServerParts, wireServer } from '../src/index.ts';
import { bindServerObject, type LiveServerState } from '../src/server-object.ts';

const ACTIVATION_TIMEOUT_MS = 30_000;
const SESSION_TIMEOUT_MS = 60_000;
/** Arrays are as old as this at most. */
const ARRAY_AGE_MS = 500;
const LONGER_THAN_ANY_EXPIRY_CHECK_MS = 1000;

let folder: string;
let store: CertificateStore;
let parts: ServerParts;
let live: LiveServerState;
let nowMs: number;
let timers: Set<{ readonly dueMs: number; readonly run: () => void }>;
let lastChannelId = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bulkhead-server-object-'));
  store = await CertificateStore.open({ folder, applicationUri: 'urn:test', applicationName: 'Test', hostNames: ['localhost'] });
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => start({}));

function start(options: Partial<ServerOptions>): void {
  nowMs = 0;
  timers = new Set();
  const runtime: Runtime = {
    clock: { nowMs: () => nowMs, utcNow: () => DateTime.fromUnixMs(1_800_000_000_000 + nowMs) },
    timers: {
      after: (delayMs, run) => {
        const timer = { dueMs: nowMs + delayMs, run };
        timers.add(timer);
        return { cancel: () => timers.delete(timer) };
      },
    },
    turns: { defer: () => undefined },
    random: { bytes: (byteCount) => randomBytes(byteCount) },
    log: { isEnabled: () => false, log: () => undefined },
  };
  const given: ServerOptions = { applicationName: 'Test', applicationUri: 'urn:test', security: { policies: ['None'] }, ...options };
  const resolved = resolveServerOptions(given);
  parts = wireServer(resolved, given, store, runtime);
  parts.endpoints.urls = ['opc.tcp://localhost:4840'];
  parts.space.loadCoreNamespace();
  live = { state: ServerState.Running };
  bindServerObject(parts, resolved, live);
}

function advance(ms: number): void {
  nowMs += ms;
  for (const timer of [...timers]) if (timer.dueMs <= nowMs && timers.delete(timer)) timer.run();
}

function read(id: number): unknown {
  const item = ReadValueId.create({ nodeId: NodeId.numeric(0, id), attributeId: AttributeIds.Value });
  const value = parts.space.readAttribute(undefined, item, TimestampsToReturn.Neither, 0);
  if (value instanceof Promise) throw new Error('not at once');
  if (value.statusCode !== 0) throw new Error(`${id}: 0x${value.statusCode.toString(16)}`);
  return value.value?.value;
}

function readArray<T>(id: number, type: StructureType<T>): T[] {
  advance(ARRAY_AGE_MS);
  return (read(id) as ExtensionObject[]).map((value) => value.decode(type));
}

function summary(): ServerDiagnosticsSummaryDataType {
  advance(ARRAY_AGE_MS);
  const value = read(VariableIds.Server_ServerDiagnostics_ServerDiagnosticsSummary) as ExtensionObject;
  return value.decode(ServerDiagnosticsSummaryDataType);
}

function channel(): SecureChannelContext {
  return {
    channelId: ++lastChannelId,
    transportProfileUri: 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary',
    endpointUrl: 'opc.tcp://localhost:4840',
    remote: { address: '127.0.0.1', port: 1 },
    securityPolicyUri: 'http://opcfoundation.org/UA/SecurityPolicy#None',
    securityMode: MessageSecurityMode.None,
    clientCertificate: undefined,
    serverCertificate: undefined,
    isOpen: true,
  };
}

/** @returns how to activate the new Session. */
async function createSession(): Promise<() => ReturnType<typeof activated>> {
  const on = channel();
  const request = CreateSessionRequest.create({ sessionName: 'S', requestedSessionTimeout: SESSION_TIMEOUT_MS });
  const { authenticationToken } = await parts.sessions.createSession(request, on);
  return () => activated(authenticationToken, on);
}

async function activated(authenticationToken: NodeId, on: SecureChannelContext) {
  const requestHeader = RequestHeader.create({ authenticationToken });
  await parts.sessions.activateSession(ActivateSessionRequest.create({ requestHeader, userIdentityToken: ExtensionObject.NULL }), on);
  return parts.sessions.resolve(authenticationToken, on, true, nowMs);
}

async function openSession(): ReturnType<typeof activated> {
  return (await createSession())();
}

describe('the counters of a server', () => {
  it('tell how many Sessions there are and were, and how they ended', async () => {
    const closing = await openSession();
    await openSession();
    await createSession();
    expect(summary()).toMatchObject({ currentSessionCount: 3, cumulatedSessionCount: 3, sessionTimeoutCount: 0, sessionAbortCount: 0 });
    parts.sessions.closeSession(CloseSessionRequest.create({}), closing);
    expect(summary()).toMatchObject({ currentSessionCount: 2, cumulatedSessionCount: 3, sessionTimeoutCount: 0, sessionAbortCount: 0 });
    advance(ACTIVATION_TIMEOUT_MS);
    advance(LONGER_THAN_ANY_EXPIRY_CHECK_MS);
    expect(summary()).toMatchObject({ currentSessionCount: 1, cumulatedSessionCount: 3, sessionTimeoutCount: 0, sessionAbortCount: 1 });
    advance(SESSION_TIMEOUT_MS);
    advance(LONGER_THAN_ANY_EXPIRY_CHECK_MS);
    expect(summary()).toMatchObject({ currentSessionCount: 0, cumulatedSessionCount: 3, sessionTimeoutCount: 1, sessionAbortCount: 1 });
  });

  it('tell how many Subscriptions there are and were, and at how many intervals they publish', async () => {
    const session = await openSession();
    const create = (requestedPublishingInterval: number): number =>
      parts.subscriptions.createSubscription(session, CreateSubscriptionRequest.create({ requestedPublishingInterval })).subscriptionId;
    const ids = [create(1000), create(1000), create(2000)];
    expect(summary()).toMatchObject({ currentSubscriptionCount: 3, cumulatedSubscriptionCount: 3, publishingIntervalCount: 2 });
    parts.subscriptions.deleteSubscriptions(session, DeleteSubscriptionsRequest.create({ subscriptionIds: ids.slice(1) }));
    expect(summary()).toMatchObject({ currentSubscriptionCount: 1, cumulatedSubscriptionCount: 3, publishingIntervalCount: 1 });
  });

  it('tell how many requests, Sessions and channels were rejected, and how many of them for security', () => {
    parts.dispatcher.diagnostics.rejectedRequests = 7;
    parts.dispatcher.diagnostics.securityRejectedRequests = 5;
    parts.dispatcher.diagnostics.rejectedSessions = 4;
    parts.dispatcher.diagnostics.securityRejectedSessions = 3;
    parts.connections.diagnostics.countClosed('SecurityRejected');
    expect(summary()).toMatchObject({
      rejectedRequestsCount: 8,
      securityRejectedRequestsCount: 6,
      rejectedSessionCount: 4,
      securityRejectedSessionCount: 3,
    });
  });

  it('are the same one by one and in the summary', async () => {
    await openSession();
    parts.space.addView({ browseName: 'V' });
    const inSummary = summary();
    expect(inSummary).toMatchObject({ serverViewCount: 1, currentSessionCount: 1 });
    for (const [name, count] of Object.entries(inSummary)) {
      const key = `Server_ServerDiagnostics_ServerDiagnosticsSummary_${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      expect(read(VariableIds[key as keyof typeof VariableIds]), name).toBe(count);
    }
  });
});

describe('the diagnostics of Sessions and Subscriptions', () => {
  it('tell who is there, since when, and what it holds', async () => {
    advance(5000);
    const session = await openSession();
    await openSession();
    const { subscriptionId } = parts.subscriptions.createSubscription(session, CreateSubscriptionRequest.create({}));
    const item = MonitoredItemCreateRequest.create({
      itemToMonitor: ReadValueId.create({ nodeId: NodeId.numeric(0, VariableIds.Server_ServiceLevel), attributeId: AttributeIds.Value }),
    });
    parts.subscriptions.createMonitoredItems(session, CreateMonitoredItemsRequest.create({ subscriptionId, itemsToCreate: [item] }));
    const subscriptions = readArray(VariableIds.Server_ServerDiagnostics_SubscriptionDiagnosticsArray, SubscriptionDiagnosticsDataType);
    expect(subscriptions).toMatchObject([{ subscriptionId, monitoredItemCount: 1, sessionId: session.sessionId }]);
    const sessions = readArray(
      VariableIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionDiagnosticsArray,
      SessionDiagnosticsDataType,
    );
    expect(
      sessions.map(({ currentSubscriptionsCount, currentMonitoredItemsCount }) => [currentSubscriptionsCount, currentMonitoredItemsCount]),
    ).toEqual([
      [1, 1],
      [0, 0],
    ]);
    expect(sessions[0]).toMatchObject({
      sessionName: 'S',
      actualSessionTimeout: SESSION_TIMEOUT_MS,
      endpointUrl: 'opc.tcp://localhost:4840',
    });
    expect(sessions[0]?.clientConnectionTime.unixMs).toBe(1_800_000_005_000);
  });

  it('are made at most every half second, however often they are read', async () => {
    const id = VariableIds.Server_ServerDiagnostics_SubscriptionDiagnosticsArray;
    const session = await openSession();
    const before = read(id);
    parts.subscriptions.createSubscription(session, CreateSubscriptionRequest.create({}));
    advance(ARRAY_AGE_MS - 1);
    expect(read(id)).toBe(before);
    advance(1);
    expect(read(id)).toHaveLength(1);
  });
});

describe('the Server object', () => {
  it('publishes the limits that are enforced', () => {
    start({
      maxSessionCount: 11,
      operationLimits: { maxNodesPerRead: 12, maxBrowseContinuationPoints: 13, maxMonitoredItemsPerCall: 14 },
      subscriptionLimits: { maxSubscriptions: 15, maxSubscriptionsPerSession: 5, minSamplingIntervalMs: 16 },
    });
    const published = [
      VariableIds.Server_ServerCapabilities_MaxSessions,
      VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerRead,
      VariableIds.Server_ServerCapabilities_MaxBrowseContinuationPoints,
      VariableIds.Server_ServerCapabilities_OperationLimits_MaxMonitoredItemsPerCall,
      VariableIds.Server_ServerCapabilities_MaxSubscriptions,
      VariableIds.Server_ServerCapabilities_MinSupportedSampleRate,
    ].map(read);
    expect(published).toEqual([11, 12, 13, 14, 15, 16]);
    expect(parts.subscriptions.limits).toMatchObject({ maxMonitoredItemsPerCall: 14, maxSubscriptions: 15, minSamplingIntervalMs: 16 });
  });

  it('says why the server stops while it does', () => {
    const status = (): ServerStatusDataType => (read(VariableIds.Server_ServerStatus) as ExtensionObject).decode(ServerStatusDataType);
    expect(status()).toMatchObject({ state: ServerState.Running, secondsTillShutdown: 0, shutdownReason: { text: null } });
    live.state = ServerState.Shutdown;
    expect(status()).toMatchObject({
      state: ServerState.Shutdown,
      secondsTillShutdown: 0,
      shutdownReason: { text: 'The server was stopped.' },
    });
    expect(read(VariableIds.Server_ServerStatus_State)).toBe(ServerState.Shutdown);
    expect(read(VariableIds.Server_ServerStatus_ShutdownReason)).toMatchObject({ text: 'The server was stopped.' });
  });
});
