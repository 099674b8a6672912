import type { SessionContext } from '@bulkhead/contracts';
import {
  DeleteMonitoredItemsRequest,
  DeleteSubscriptionsRequest,
  ModifyMonitoredItemsRequest,
  MonitoredItemModifyRequest,
  MonitoringMode,
  MonitoringParameters,
  SetMonitoringModeRequest,
  StatusCodes,
  TransferSubscriptionsRequest,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import type { SubscriptionLimits } from '../src/index.ts';
import { createSession, faultOf, Harness } from './harness.ts';

/** Sessions whose names begin with the same letter belong to one owner. */
const ownerKeyOf = ({ sessionName }: SessionContext): string => sessionName[0] ?? '';
const alpha = createSession('alpha', { user: 'joe' });
const anna = createSession('anna', { user: 'joe' });
const berta = createSession('berta', { user: 'joe' });

function harnessWith(limits: Partial<SubscriptionLimits>): Harness {
  const harness = new Harness({ minSamplingIntervalMs: 10, maxSamplingIntervalMs: 60_000, ...limits }, { ownerKeyOf });
  harness.source.add('a');
  return harness;
}

describe('limits of one owner', () => {
  it('BX-09 bounds Subscriptions over all Sessions of the owner, and no other', () => {
    const harness = harnessWith({ maxSubscriptionsPerOwner: 2 });
    const first = harness.subscribe({}, alpha);
    harness.subscribe({}, anna);
    expect(faultOf(() => harness.subscribe({}, alpha))).toBe(StatusCodes.BadTooManySubscriptions);
    harness.subscribe({}, berta);
    harness.manager.deleteSubscriptions(alpha, DeleteSubscriptionsRequest.create({ subscriptionIds: [first] }));
    harness.subscribe({}, anna);
    harness.manager.dispose();
  });

  it('BX-09 bounds MonitoredItems over all Sessions of the owner, disabled ones too, and no other', () => {
    const harness = harnessWith({ maxMonitoredItemsPerOwner: 3 });
    const [one, two, other] = [harness.subscribe({}, alpha), harness.subscribe({}, anna), harness.subscribe({}, berta)];
    const item = harness.monitor(one, 'a', { mode: MonitoringMode.Disabled }, alpha);
    harness.monitor(two, 'a', {}, anna);
    harness.monitor(two, 'a', {}, anna);
    expect(harness.tryMonitor(one, 'a', {}, alpha).statusCode).toBe(StatusCodes.BadTooManyMonitoredItems);
    harness.monitor(other, 'a', {}, berta);
    harness.manager.deleteMonitoredItems(alpha, DeleteMonitoredItemsRequest.create({ subscriptionId: one, monitoredItemIds: [item] }));
    harness.monitor(two, 'a', {}, anna);
    harness.manager.dispose();
  });

  it('BX-09 makes sampling intervals longer rather than refuse items when the owner has no samples left', () => {
    const harness = harnessWith({ maxSamplesPerSecondPerOwner: 100 });
    const [one, two, other] = [harness.subscribe({}, alpha), harness.subscribe({}, anna), harness.subscribe({}, berta)];
    const revised = (id: number, interval: number, session: SessionContext): number =>
      harness.tryMonitor(id, 'a', { interval }, session).revisedSamplingInterval;
    expect(revised(one, 20, alpha)).toBe(20); // 50 a second
    expect(revised(two, 25, anna)).toBe(25); // 90
    expect(revised(one, 50, alpha)).toBe(100); // 20 are wanted, 10 are left
    expect(revised(two, 50, anna)).toBe(60_000);
    expect(revised(other, 20, berta)).toBe(20);
    harness.manager.dispose();
  });

  it('BX-09 counts an item that reports every change with the shortest sampling interval', () => {
    const harness = harnessWith({ maxSamplesPerSecondPerOwner: 150 });
    const id = harness.subscribe({}, alpha);
    expect(harness.tryMonitor(id, 'a', { interval: 0 }, alpha).revisedSamplingInterval).toBe(0);
    expect(harness.tryMonitor(id, 'a', { interval: 0 }, alpha).revisedSamplingInterval).toBe(20);
    harness.manager.dispose();
  });

  it('BX-09 obeys when items are modified, enabled and deleted', () => {
    const harness = harnessWith({ maxSamplesPerSecondPerOwner: 100 });
    const id = harness.subscribe({}, alpha);
    const modify = (monitoredItemId: number, samplingInterval: number): number =>
      harness.manager.modifyMonitoredItems(
        alpha,
        ModifyMonitoredItemsRequest.create({
          subscriptionId: id,
          itemsToModify: [
            MonitoredItemModifyRequest.create({
              monitoredItemId,
              requestedParameters: MonitoringParameters.create({ samplingInterval, queueSize: 1 }),
            }),
          ],
        }),
      ).results?.[0]?.revisedSamplingInterval ?? -1;
    const first = harness.monitor(id, 'a', { interval: 10, mode: MonitoringMode.Disabled }, alpha);
    const second = harness.monitor(id, 'a', { interval: 1000 }, alpha);
    expect(modify(second, 10)).toBe(60_000);
    expect(modify(first, 20)).toBe(20);
    expect(modify(second, 10)).toBe(20);
    // What is disabled has its samples all the same, so that it can be enabled.
    const { results } = harness.manager.setMonitoringMode(
      alpha,
      SetMonitoringModeRequest.create({ subscriptionId: id, monitoringMode: MonitoringMode.Reporting, monitoredItemIds: [first] }),
    );
    expect(results).toEqual([StatusCodes.Good]);
    expect(modify(second, 10)).toBe(20);
    harness.manager.deleteMonitoredItems(alpha, DeleteMonitoredItemsRequest.create({ subscriptionId: id, monitoredItemIds: [first] }));
    expect(modify(second, 10)).toBe(10);
    harness.manager.dispose();
  });

  it('BX-09 counts a Subscription for the owner of the Session that it moves to, if that has room', () => {
    const harness = harnessWith({ maxMonitoredItemsPerOwner: 2, maxSubscriptionsPerOwner: 2 });
    const moving = harness.subscribe({}, alpha);
    harness.monitor(moving, 'a', {}, alpha);
    harness.monitor(moving, 'a', {}, alpha);
    const own = harness.subscribe({}, berta);
    const item = harness.monitor(own, 'a', {}, berta);
    const transfer = (): number | undefined =>
      harness.manager.transferSubscriptions(berta, TransferSubscriptionsRequest.create({ subscriptionIds: [moving] })).results?.[0]
        ?.statusCode;
    expect(transfer()).toBe(StatusCodes.BadTooManyMonitoredItems);
    harness.manager.deleteMonitoredItems(berta, DeleteMonitoredItemsRequest.create({ subscriptionId: own, monitoredItemIds: [item] }));
    expect(transfer()).toBe(StatusCodes.Good);
    expect(harness.tryMonitor(own, 'a', {}, berta).statusCode).toBe(StatusCodes.BadTooManyMonitoredItems);
    const next = harness.subscribe({}, alpha);
    harness.monitor(next, 'a', {}, alpha);
    harness.monitor(next, 'a', {}, alpha);
    expect(faultOf(() => harness.subscribe({}, berta))).toBe(StatusCodes.BadTooManySubscriptions);
    harness.manager.dispose();
  });
});
