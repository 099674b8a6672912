import { CreateSubscriptionRequest, type MonitoredItemCreateResult, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { monitor, subscribe } from '../support/raw-subscriptions.ts';
import { startTestServer } from '../support/test-server.ts';

const GREEDY = '127.0.0.2';
const MODEST = '127.0.0.3';

const watch = (
  session: RawSession,
  subscriptionId: number,
  count: number,
  samplingInterval: number,
): Promise<MonitoredItemCreateResult[]> => monitor(session, subscriptionId, 'ns=1;s=Value', { queueSize: 1, samplingInterval, count });

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
    const [one, two, others] = [
      await subscribe(first, 1000, 10, 30),
      await subscribe(second, 1000, 10, 30),
      await subscribe(other, 1000, 10, 30),
    ];
    const third = await first.peer.response(first.send(CreateSubscriptionRequest, { requestedPublishingInterval: 1000 }));
    expect(third.header.serviceResult).toBe(StatusCodes.BadTooManySubscriptions);

    const intervals = (results: readonly MonitoredItemCreateResult[]): number[] => results.map((result) => result.revisedSamplingInterval);
    expect(new Set(intervals(await watch(first, one, 10, 100)))).toEqual(new Set([100]));
    const slowed = await watch(second, two, 10, 100);
    expect(slowed.every(({ statusCode }) => statusCode === StatusCodes.Good)).toBe(true);
    expect(Math.min(...intervals(slowed))).toBeGreaterThan(1000);
    const codes = (await watch(second, two, 11, 60_000)).map(({ statusCode }) => statusCode);
    expect(codes.filter((code) => code === StatusCodes.BadTooManyMonitoredItems)).toHaveLength(1);
    expect(new Set(intervals(await watch(other, others, 10, 100)))).toEqual(new Set([100]));

    for (const session of [first, second, other]) await session.close();
    await test.end();
  });
});
