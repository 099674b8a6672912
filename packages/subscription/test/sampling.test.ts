import {
  BuiltInType,
  DataValue,
  DeleteMonitoredItemsRequest,
  EUInformation,
  ExtensionObject,
  MonitoringMode,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { SamplingScheduler } from '../src/sampling.ts';
import { Harness, nextCycle, reported, setMode, settle, started, valuesOf } from './harness.ts';

describe('sampling', () => {
  it('of a polled item reads once per interval, on one timer for all items of an interval', async () => {
    const { harness, id } = await started();
    const targets = ['a', 'b', 'c'].map((name) => harness.source.add(name, { isPolled: true, minimumSamplingIntervalMs: 20 }));
    for (const name of ['a', 'b', 'c']) harness.monitor(id, name, { interval: 20, queue: 10 });
    expect(harness.manager.totals.samplingGroups).toBe(1);
    expect(harness.runtime.clock.pendingTimers).toBe(2);
    await harness.advance(200);
    expect(targets.map(({ readCount }) => readCount)).toEqual([11, 11, 11]);
  });

  it('reports a sample taken at the instant of publishing', async () => {
    const harness = new Harness();
    const id = harness.subscribe();
    const target = harness.source.add('a', { isPolled: true, minimumSamplingIntervalMs: 50 });
    harness.monitor(id, 'a', { interval: 50, queue: 10 });
    await harness.advance(99);
    const publish = await harness.publish();
    target.set(5);
    await harness.advance(1);
    expect(valuesOf(publish)).toEqual([0, 5]);
  });

  it('interval 0 takes every reported change', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    harness.monitor(id, 'a', { interval: 0, queue: 10 });
    for (let i = 1; i <= 5; i++) target.set(i);
    expect(valuesOf(await nextCycle(harness))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('of reported changes takes one per interval, the newest of those that wait, and none is repeated', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    harness.monitor(id, 'a', { interval: 20, queue: 100 });
    await harness.advance(50);
    for (let ms = 1; ms <= 100; ms++) {
      target.set(ms);
      harness.runtime.clock.advance(1);
    }
    await harness.advance(50);
    const values = [...valuesOf(await nextCycle(harness)), ...valuesOf(await nextCycle(harness))];
    expect(values.length).toBeLessThanOrEqual(8);
    expect(values.at(-1)).toBe(100);
    expect(values).toEqual([...new Set(values)].sort((a, b) => (a as number) - (b as number)));
  });

  it('loses no change of a source that is about as fast as the interval', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    harness.monitor(id, 'a', { interval: 100, queue: 1000 });
    await harness.advance(130);
    for (let i = 1; i <= 100; i++) {
      target.set(i);
      // 100 ms on average, up to 20 ms early or late.
      await harness.advance(100 + [20, -20, 10, -10][i % 4]!);
    }
    const publish = await harness.publish();
    await harness.advance(200);
    const rest = await harness.publish();
    await harness.advance(200);
    expect([...valuesOf(publish), ...valuesOf(rest)].slice(-100)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  });

  it('of values that can not be encoded ends no more than the comparison', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a', { isPolled: true, pendingReads: [] });
    harness.monitor(id, 'a', { interval: 50, queue: 10 });
    const broken = (): DataValue =>
      new DataValue(Variant.scalar(BuiltInType.ExtensionObject, ExtensionObject.of(EUInformation, { unitId: 1 } as EUInformation)));
    for (let i = 0; i < 3; i++) {
      target.pendingReads?.shift()?.resolve(broken());
      await settle();
      await harness.advance(50);
    }
    expect(target.readCount).toBe(4);
  });

  it('takes values that waited in slices, and of each item the newest', () => {
    const { runtime } = new Harness();
    const scheduler = new SamplingScheduler(runtime, 5);
    const taken: unknown[] = [];
    const double = (value: number): DataValue => new DataValue(Variant.double(value));
    const items = Array.from({ length: 1_000 }, () => ({
      pollIndex: -1,
      acceptedPeriod: -1,
      heldValue: undefined,
      sample: () => {},
      accept: (value: DataValue) => {
        taken.push(value.value?.value);
        runtime.clock.elapse(0.1);
      },
    }));
    for (const item of items) {
      const group = scheduler.join(1_000);
      group.report(item, double(1));
      group.report(item, double(2));
    }
    taken.length = 0;
    runtime.clock.advance(1_000);
    expect(taken.length).toBeLessThan(200);
    const last = items.at(-1) as (typeof items)[0];
    scheduler.join(1_000).report(last, double(3));
    while (scheduler.heldCount > 0) runtime.turns.runAll();
    expect(taken).toEqual([...new Array(999).fill(2), 3]);
  });

  it('keeps nothing of items that were deleted while their values waited for the next period', () => {
    const { runtime } = new Harness();
    const scheduler = new SamplingScheduler(runtime, 5);
    const group = scheduler.join(600_000);
    const value = new DataValue(Variant.double(1));
    for (let i = 0; i < 10; i++) {
      const item = { pollIndex: -1, acceptedPeriod: -1, heldValue: undefined, sample: () => {}, accept: () => {} };
      scheduler.join(600_000).report(item, value);
      group.report(item, value);
      expect(scheduler.heldCount).toBe(1);
      scheduler.leave(group, item);
      expect(scheduler.heldCount).toBe(0);
    }
  });

  it('of an idle source that reports changes needs no timer', async () => {
    const { harness, id } = await started();
    harness.source.add('a');
    harness.monitor(id, 'a', { interval: 20 });
    await harness.advance(100);
    expect(harness.runtime.clock.pendingTimers).toBe(1);
  });

  it('has at most one read in flight per item, and a slow source delays nobody', async () => {
    const { harness, id } = await started();
    const slow = harness.source.add('slow', { isPolled: true, minimumSamplingIntervalMs: 10, pendingReads: [] });
    const quick = harness.source.add('quick', { isPolled: true, minimumSamplingIntervalMs: 10 });
    harness.monitor(id, 'slow', { interval: 10, handle: 1 });
    harness.monitor(id, 'quick', { interval: 10, handle: 2 });
    await harness.advance(90);
    expect(slow.readCount).toBe(1);
    quick.set(3);
    expect(reported(await nextCycle(harness)).map(({ handle }) => handle)).toEqual([2]);
    slow.pendingReads?.shift()?.resolve(new DataValue(Variant.double(9)));
    await settle();
    expect(reported(await nextCycle(harness))).toMatchObject([{ handle: 1, value: 9 }]);
    expect(slow.readCount).toBe(2);
  });

  it('drops an initial read that is overtaken by a reported change', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a', { pendingReads: [] });
    harness.monitor(id, 'a', { queue: 5 });
    target.set(2);
    target.pendingReads?.[0]?.resolve(new DataValue(Variant.double(1)));
    await settle();
    expect(valuesOf(await nextCycle(harness))).toEqual([2]);
  });

  it('ignores a read from before the item was disabled and reads anew', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a', { pendingReads: [] });
    const itemId = harness.monitor(id, 'a');
    setMode(harness, id, MonitoringMode.Disabled, itemId);
    setMode(harness, id, MonitoringMode.Reporting, itemId);
    expect(target.readCount).toBe(1);
    target.pendingReads?.[0]?.resolve(new DataValue(Variant.double(1)));
    await settle();
    expect(target.readCount).toBe(2);
    target.pendingReads?.[1]?.resolve(new DataValue(Variant.double(2)));
    await settle();
    expect(valuesOf(await nextCycle(harness))).toEqual([2]);
  });

  it('ignores reads that end after the item is gone', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a', { pendingReads: [] });
    const itemId = harness.monitor(id, 'a');
    harness.manager.deleteMonitoredItems(
      harness.session,
      DeleteMonitoredItemsRequest.create({ subscriptionId: id, monitoredItemIds: [itemId] }),
    );
    target.pendingReads?.[0]?.resolve(new DataValue(Variant.double(1)));
    await settle();
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    expect(target.observers.size).toBe(0);
    expect(harness.manager.heldValues(harness.session)).toEqual({ queued: 0, retransmission: 0 });
  });

  it('turns a failing read into a StatusCode, reported once, and goes on', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a', { isPolled: true, minimumSamplingIntervalMs: 10 });
    const read = target.read.bind(target);
    target.read = () => {
      throw new UaStatusError(StatusCodes.BadCommunicationError, 'line down');
    };
    harness.monitor(id, 'a', { interval: 10, queue: 10 });
    await harness.advance(50);
    target.read = () => Promise.reject(new Error('bug'));
    await harness.advance(20);
    target.read = read;
    expect(reported(await nextCycle(harness)).map(({ status }) => status)).toEqual([
      StatusCodes.BadCommunicationError,
      StatusCodes.BadInternalError,
      StatusCodes.Good,
    ]);
    expect(harness.runtime.log.of('monitoredItem.readFailed').length).toBeGreaterThan(0);
  });

  it('lets others in when a period takes longer than its slice', async () => {
    const { harness, id } = await started();
    let reads = 0;
    for (let i = 0; i < 1000; i++) {
      const target = harness.source.add(`n${i}`, { isPolled: true, minimumSamplingIntervalMs: 1000 });
      target.read = () => {
        reads++;
        return target.current;
      };
      harness.monitor(id, `n${i}`, { interval: 1000 });
    }
    reads = 0;
    let slowMs = 0;
    const nowMs = harness.runtime.clock.nowMs.bind(harness.runtime.clock);
    // Every read takes 0.1 ms.
    harness.runtime.clock.nowMs = () => nowMs() + (slowMs = reads * 0.1);
    harness.runtime.clock.advance(1000);
    expect(reads).toBeLessThan(150);
    harness.runtime.turns.runAll();
    expect(reads).toBe(1000);
    expect(slowMs).toBeGreaterThan(0);
  });
});
