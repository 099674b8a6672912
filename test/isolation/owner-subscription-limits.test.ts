import {
  CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  MonitoredItemCreateRequest,
  type MonitoredItemCreateResult,
  MonitoringMode,
  MonitoringParameters,
  NodeId,
  ReadValueId,
  StatusCodes,
  TimestampsToReturn,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer } from '../support/test-server.ts';

const GREEDY = '127.0.0.2';
const MODEST = '127.0.0.3';

async function subscribe(session: RawSession): Promise<number> {
  const wish = { requestedPublishingInterval: 1000, requestedMaxKeepAliveCount: 10, requestedLifetimeCount: 30, publishingEnabled: true };
  return (await session.request(CreateSubscriptionRequest, wish, CreateSubscriptionResponse)).subscriptionId;
}

async function monitor(
  session: RawSession,
  subscriptionId: number,
  count: number,
  samplingInterval: number,
): Promise<MonitoredItemCreateResult[]> {
  const itemsToCreate = Array.from({ length: count }, (_, clientHandle) =>
    MonitoredItemCreateRequest.create({
      itemToMonitor: ReadValueId.create({ nodeId: NodeId.string(1, 'Value'), attributeId: 13 }),
      monitoringMode: MonitoringMode.Reporting,
      requestedParameters: MonitoringParameters.create({ clientHandle, samplingInterval, queueSize: 1, discardOldest: true }),
    }),
  );
  const request = { subscriptionId, timestampsToReturn: TimestampsToReturn.Neither, itemsToCreate };
  return [...((await session.request(CreateMonitoredItemsRequest, request, CreateMonitoredItemsResponse)).results ?? [])];
}

describe('Subscriptions of one caller', () => {
  it('BX-09 are bounded over all its Sessions; intervals become longer rather than items refused, and others have theirs', async () => {
    const test = await startTestServer(
      (space) => {
        space.addVariable({ browseName: 'Value', nodeId: 's=Value', dataType: 'Double', value: 1 });
      },
      { subscriptionLimits: { maxSubscriptionsPerOwner: 2, maxMonitoredItemsPerOwner: 30, maxSamplesPerSecondPerOwner: 100 } },
    );
    const open = (localAddress: string): Promise<RawSession> => RawSession.open({ port: test.port, localAddress });
    const [first, second, other] = [await open(GREEDY), await open(GREEDY), await open(MODEST)];
    const [one, two, others] = [await subscribe(first), await subscribe(second), await subscribe(other)];
    const third = await first.peer.response(first.send(CreateSubscriptionRequest, { requestedPublishingInterval: 1000 }));
    expect(third.header.serviceResult).toBe(StatusCodes.BadTooManySubscriptions);

    const intervals = (results: readonly MonitoredItemCreateResult[]): number[] => results.map((result) => result.revisedSamplingInterval);
    expect(new Set(intervals(await monitor(first, one, 10, 100)))).toEqual(new Set([100]));
    const slowed = await monitor(second, two, 10, 100);
    expect(slowed.every(({ statusCode }) => statusCode === StatusCodes.Good)).toBe(true);
    expect(Math.min(...intervals(slowed))).toBeGreaterThan(1000);
    const codes = (await monitor(second, two, 11, 60_000)).map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === StatusCodes.BadTooManyMonitoredItems)).toHaveLength(1);
    expect(new Set(intervals(await monitor(other, others, 10, 100)))).toEqual(new Set([100]));

    for (const session of [first, second, other]) await session.close();
    await test.end();
  });
});
