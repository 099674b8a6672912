import type { ServerOptions } from '@bulkhead/opcua';
import {
  AddNodesRequest,
  BrowseDescription,
  BrowsePath,
  BrowseRequest,
  BrowseResponse,
  CallMethodRequest,
  CallRequest,
  CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  DeleteSubscriptionsRequest,
  MonitoredItemCreateRequest,
  NodeId,
  ReadRequest,
  ReadValueId,
  RegisterNodesRequest,
  type RequestHeader,
  type RequestType,
  StatusCodes,
  TranslateBrowsePathsToNodeIdsRequest,
  WriteRequest,
  WriteValue,
} from '@bulkhead/types';
import { afterEach, describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { HostileTest } from './bystander.ts';
import { statusName } from './status-names.ts';

/** Every limit below, unless a test says otherwise. */
const LIMIT = 3;
const NODE = NodeId.parse('ns=1;s=Bystander');
const OBJECTS_FOLDER = NodeId.parse('i=85');
const VALUE_ATTRIBUTE = 13;

let hostile: HostileTest;

afterEach(() => hostile.end());

async function withSession(options: Partial<ServerOptions>, use: (session: RawSession) => Promise<void>): Promise<void> {
  hostile = await HostileTest.start(options);
  await hostile.costsOnlyItsSender(async () => {
    const session = await RawSession.open({ port: hostile.port });
    await use(session);
    await session.close();
  });
}

type AnyRequest = { requestHeader: RequestHeader };
/** Sends a request of so many operations; its ServiceResult. */
type Send = (session: RawSession, count: number) => Promise<string>;

function operations<T extends AnyRequest>(type: RequestType<T>, initOf: (count: number) => Partial<Omit<T, 'requestHeader'>>): Send {
  return async (session, count) => statusName((await session.peer.response(session.send(type, initOf(count)))).header.serviceResult);
}

function times<T>(count: number, item: T): T[] {
  return new Array<T>(count).fill(item);
}

const item = MonitoredItemCreateRequest.create({ itemToMonitor: ReadValueId.create({ nodeId: NODE, attributeId: VALUE_ATTRIBUTE }) });

async function createSubscription(session: RawSession): Promise<number> {
  return (await session.request(CreateSubscriptionRequest, { requestedPublishingInterval: 60_000 }, CreateSubscriptionResponse))
    .subscriptionId;
}

const perCall: readonly (readonly [path: string, options: Partial<ServerOptions>, send: Send])[] = [
  [
    'operationLimits.maxNodesPerRead',
    { operationLimits: { maxNodesPerRead: LIMIT } },
    operations(ReadRequest, (count) => ({ nodesToRead: times(count, ReadValueId.create({ nodeId: NODE, attributeId: VALUE_ATTRIBUTE })) })),
  ],
  [
    'operationLimits.maxNodesPerWrite',
    { operationLimits: { maxNodesPerWrite: LIMIT } },
    operations(WriteRequest, (count) => ({
      nodesToWrite: times(count, WriteValue.create({ nodeId: NODE, attributeId: VALUE_ATTRIBUTE })),
    })),
  ],
  [
    'operationLimits.maxNodesPerMethodCall',
    { operationLimits: { maxNodesPerMethodCall: LIMIT } },
    operations(CallRequest, (count) => ({ methodsToCall: times(count, CallMethodRequest.create({})) })),
  ],
  [
    'operationLimits.maxNodesPerBrowse',
    { operationLimits: { maxNodesPerBrowse: LIMIT } },
    operations(BrowseRequest, (count) => ({ nodesToBrowse: times(count, BrowseDescription.create({ nodeId: NODE })) })),
  ],
  [
    'operationLimits.maxNodesPerRegisterNodes',
    { operationLimits: { maxNodesPerRegisterNodes: LIMIT } },
    operations(RegisterNodesRequest, (count) => ({ nodesToRegister: times(count, NODE) })),
  ],
  [
    'operationLimits.maxNodesPerTranslateBrowsePathsToNodeIds',
    { operationLimits: { maxNodesPerTranslateBrowsePathsToNodeIds: LIMIT } },
    operations(TranslateBrowsePathsToNodeIdsRequest, (count) => ({ browsePaths: times(count, BrowsePath.create({ startingNode: NODE })) })),
  ],
  [
    'operationLimits.maxMonitoredItemsPerCall',
    { operationLimits: { maxMonitoredItemsPerCall: LIMIT } },
    async (session, count) => {
      const subscriptionId = await createSubscription(session);
      return operations(CreateMonitoredItemsRequest, () => ({ subscriptionId, itemsToCreate: times(count, item) }))(session, count);
    },
  ],
  [
    'subscriptionLimits.maxSubscriptionsPerCall',
    { subscriptionLimits: { maxSubscriptionsPerCall: LIMIT } },
    operations(DeleteSubscriptionsRequest, (count) => ({ subscriptionIds: times(count, 1) })),
  ],
];

describe('operations per request: as many as the limit are done, one more is BadTooManyOperations', () => {
  it.each(perCall)('%s', async (_path, options, send) => {
    await withSession(options, async (session) => {
      expect(await send(session, LIMIT)).toBe('Good');
      expect(await send(session, LIMIT + 1)).toBe('BadTooManyOperations');
      expect(await send(session, 1)).toBe('Good');
    });
  });
});

describe('what a client may keep', () => {
  it.each([
    ['maxSubscriptions', 'BadTooManySubscriptions'],
    ['maxSubscriptionsPerSession', 'BadTooManySubscriptions'],
  ] as const)('subscriptionLimits.%s: one more is %s', async (name, status) => {
    await withSession({ subscriptionLimits: { [name]: LIMIT } }, async (session) => {
      for (let i = 0; i < LIMIT; i++) await createSubscription(session);
      const { header } = await session.peer.response(session.send(CreateSubscriptionRequest, {}));
      expect(statusName(header.serviceResult)).toBe(status);
    });
  });

  it.each(['maxMonitoredItems', 'maxMonitoredItemsPerSubscription'] as const)(
    'subscriptionLimits.%s: one more is BadTooManyMonitoredItems, the others are made',
    async (name) => {
      await withSession({ subscriptionLimits: { [name]: LIMIT } }, async (session) => {
        const subscriptionId = await createSubscription(session);
        const init = { subscriptionId, itemsToCreate: times(LIMIT + 1, item) };
        const { results } = await session.request(CreateMonitoredItemsRequest, init, CreateMonitoredItemsResponse);
        expect(results?.map(({ statusCode }) => statusName(statusCode))).toEqual([...times(LIMIT, 'Good'), 'BadTooManyMonitoredItems']);
      });
    },
  );

  it('operationLimits.maxBrowseContinuationPoints and maxReferencesPerNode: one more is BadNoContinuationPoints', async () => {
    await withSession({ operationLimits: { maxBrowseContinuationPoints: LIMIT, maxReferencesPerNode: 1 } }, async (session) => {
      const nodesToBrowse = times(LIMIT + 1, BrowseDescription.create({ nodeId: OBJECTS_FOLDER, resultMask: 0x3f, includeSubtypes: true }));
      const { results } = await session.request(BrowseRequest, { nodesToBrowse }, BrowseResponse);
      expect(results?.map(({ statusCode }) => statusName(statusCode))).toEqual([...times(LIMIT, 'Good'), 'BadNoContinuationPoints']);
      for (const { references, continuationPoint } of results?.slice(0, LIMIT) ?? []) {
        expect([references?.length, continuationPoint === null]).toEqual([1, false]);
      }
    });
  });
});

describe('requests in all', () => {
  it('maxQueuedRequestCount: those that wait are answered, one more is BadServerTooBusy', async () => {
    hostile = await HostileTest.start({ maxQueuedRequestCount: 10, resourceIsolation: { mode: 'SharedOnly' } });
    const session = await RawSession.open({ port: hostile.port });
    const { channel } = session.peer;
    const ids: number[] = [];
    const chunks: Buffer[] = [];
    for (let i = 0; i < 60; i++) {
      ids.push(channel.nextRequestId);
      chunks.push(channel.request(ReadRequest, { requestHeader: session.header(), nodesToRead: [] }));
    }
    session.peer.send(...chunks);
    const answers = new Map<string, number>();
    for (const id of ids) {
      const status = statusName((await session.peer.response(id)).header.serviceResult);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
    expect(answers.get('BadNothingToDo')).toBeGreaterThanOrEqual(10);
    expect(answers.get('BadServerTooBusy')).toBeGreaterThan(0);
    expect([...answers.keys()].sort()).toEqual(['BadNothingToDo', 'BadServerTooBusy']);
    await session.close();
  });

  it('a service that does not exist needs no place in the queue', async () => {
    await withSession({ maxQueuedRequestCount: 5, resourceIsolation: { mode: 'SharedOnly' } }, async (session) => {
      const ids = times(20, 0).map(() => session.send(AddNodesRequest, {}));
      for (const id of ids) expect((await session.peer.response(id)).header.serviceResult).toBe(StatusCodes.BadServiceUnsupported);
    });
  });
});
