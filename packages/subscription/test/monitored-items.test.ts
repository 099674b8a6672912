import {
  AttributeIds,
  BuiltInType,
  DataChangeTrigger,
  DataValue,
  DateTime,
  DeadbandType,
  DeleteMonitoredItemsRequest,
  ModifyMonitoredItemsRequest,
  MonitoredItemModifyRequest,
  MonitoringMode,
  MonitoringParameters,
  StatusCodes,
  TimestampsToReturn,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  dataChangeFilter,
  faultOf,
  Harness,
  type ItemWish,
  isKeepAlive,
  nextCycle,
  reported,
  setMode,
  started,
  valuesOf,
} from './harness.ts';

function modify(harness: Harness, subscriptionId: number, monitoredItemId: number, wish: ItemWish) {
  const { results } = harness.manager.modifyMonitoredItems(
    harness.session,
    ModifyMonitoredItemsRequest.create({
      subscriptionId,
      timestampsToReturn: wish.timestamps ?? TimestampsToReturn.Both,
      itemsToModify: [
        MonitoredItemModifyRequest.create({
          monitoredItemId,
          requestedParameters: MonitoringParameters.create({
            clientHandle: wish.handle ?? 1,
            samplingInterval: wish.interval ?? 0,
            queueSize: wish.queue ?? 1,
            discardOldest: wish.discardOldest ?? true,
            ...(wish.filter ? { filter: wish.filter } : {}),
          }),
        }),
      ],
    }),
  );
  return results?.[0];
}

describe('CreateMonitoredItems', () => {
  it('answers each item on its own', async () => {
    const { harness, id } = await started({ maxMonitoredItemsPerSubscription: 2 });
    harness.source.add('a');
    expect(harness.tryMonitor(id, 'unknown').statusCode).toBe(StatusCodes.BadNodeIdUnknown);
    expect(harness.tryMonitor(id, 'a', { mode: 7 as MonitoringMode }).statusCode).toBe(StatusCodes.BadMonitoringModeInvalid);
    expect(harness.tryMonitor(id, 'a', { filter: dataChangeFilter(1, 9) }).statusCode).toBe(StatusCodes.BadDeadbandFilterInvalid);
    expect(harness.tryMonitor(id, 'a', { attributeId: AttributeIds.EventNotifier }).statusCode).toBe(
      StatusCodes.BadMonitoredItemFilterUnsupported,
    );
    expect(harness.tryMonitor(id, 'a')).toMatchObject({ statusCode: StatusCodes.Good, monitoredItemId: 1, revisedQueueSize: 1 });
    expect(harness.tryMonitor(id, 'a').monitoredItemId).toBe(2);
    expect(harness.tryMonitor(id, 'a').statusCode).toBe(StatusCodes.BadTooManyMonitoredItems);
    expect(harness.manager.totals.monitoredItems).toBe(2);
  });

  it('is refused as a whole for bad timestamps, an unknown or foreign Subscription, nothing or too much to do', async () => {
    const { harness, id } = await started({ maxMonitoredItemsPerCall: 1 });
    harness.source.add('a');
    expect(faultOf(() => harness.tryMonitor(id, 'a', { timestamps: TimestampsToReturn.Invalid }))).toBe(
      StatusCodes.BadTimestampsToReturnInvalid,
    );
    expect(faultOf(() => harness.tryMonitor(id + 1, 'a'))).toBe(StatusCodes.BadSubscriptionIdInvalid);
    expect(faultOf(() => harness.tryMonitor(id, 'a', {}, createSession('two')))).toBe(StatusCodes.BadSubscriptionIdInvalid);
    expect(faultOf(() => setMode(harness, id, MonitoringMode.Disabled))).toBe(StatusCodes.BadNothingToDo);
    expect(faultOf(() => setMode(harness, id, MonitoringMode.Disabled, 1, 2))).toBe(StatusCodes.BadTooManyOperations);
    expect(faultOf(() => setMode(harness, id, 5 as MonitoringMode, 1))).toBe(StatusCodes.BadMonitoringModeInvalid);
  });

  it('counts all items of the server', async () => {
    const { harness, id } = await started({ maxMonitoredItems: 1 });
    harness.source.add('a');
    const itemId = harness.monitor(id, 'a');
    const other = harness.subscribe();
    expect(harness.tryMonitor(other, 'a').statusCode).toBe(StatusCodes.BadTooManyMonitoredItems);
    harness.manager.deleteMonitoredItems(
      harness.session,
      DeleteMonitoredItemsRequest.create({ subscriptionId: id, monitoredItemIds: [itemId] }),
    );
    expect(harness.tryMonitor(other, 'a').statusCode).toBe(StatusCodes.Good);
  });

  it('frees everything when the source refuses to be observed', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    target.observe = () => {
      throw new UaStatusError(StatusCodes.BadResourceUnavailable, 'no');
    };
    expect(harness.tryMonitor(id, 'a').statusCode).toBe(StatusCodes.BadResourceUnavailable);
    expect(harness.manager.totals).toMatchObject({ monitoredItems: 0, samplingGroups: 0 });
  });

  it.each([
    { wish: { queue: 0 }, target: {}, revised: { revisedQueueSize: 1 } },
    { wish: { queue: 7 }, target: {}, revised: { revisedQueueSize: 7 } },
    { wish: { queue: 0xffffffff }, target: {}, revised: { revisedQueueSize: 50 } },
    { wish: { interval: 0 }, target: {}, revised: { revisedSamplingInterval: 0 } },
    { wish: { interval: -1 }, target: {}, revised: { revisedSamplingInterval: 100 } },
    { wish: { interval: -250 }, target: {}, revised: { revisedSamplingInterval: 100 } },
    { wish: { interval: Number.NaN }, target: {}, revised: { revisedSamplingInterval: 100 } },
    { wish: { interval: 3 }, target: {}, revised: { revisedSamplingInterval: 10 } },
    { wish: { interval: 33.2 }, target: {}, revised: { revisedSamplingInterval: 34 } },
    { wish: { interval: 1e9 }, target: {}, revised: { revisedSamplingInterval: 600_000 } },
    { wish: { interval: 0 }, target: { isPolled: true, minimumSamplingIntervalMs: 250 }, revised: { revisedSamplingInterval: 250 } },
    { wish: { interval: -1 }, target: { isPolled: true, minimumSamplingIntervalMs: 250 }, revised: { revisedSamplingInterval: 250 } },
    { wish: { interval: 500 }, target: { isPolled: true, minimumSamplingIntervalMs: 250 }, revised: { revisedSamplingInterval: 500 } },
  ])('revises $wish of $target to $revised', ({ wish, target, revised }) => {
    const harness = new Harness({ maxMonitoredItemsQueueSize: 50 });
    harness.source.add('a', target);
    expect(harness.tryMonitor(harness.subscribe(), 'a', wish)).toMatchObject(revised);
  });

  it.each([
    { timestamps: TimestampsToReturn.Source, source: true, server: false },
    { timestamps: TimestampsToReturn.Server, source: false, server: true },
    { timestamps: TimestampsToReturn.Both, source: true, server: true },
    { timestamps: TimestampsToReturn.Neither, source: false, server: false },
  ])('TimestampsToReturn $timestamps: source $source, server $server', async ({ timestamps, source, server }) => {
    const { harness, id } = await started();
    const time = DateTime.fromUnixMs(5);
    harness.source.add('a').set(new DataValue(Variant.double(1), 0, time, time, 3, 4));
    harness.monitor(id, 'a', { timestamps });
    const [value] = reported(await nextCycle(harness));
    expect(value?.dataValue).toMatchObject({
      sourceTimestamp: source ? time : undefined,
      serverTimestamp: server ? time : undefined,
      sourcePicoseconds: source ? 3 : 0,
      serverPicoseconds: server ? 4 : 0,
    });
  });
});

describe('monitoring mode', () => {
  it('Disabled samples and queues nothing; enabling sends an initial value again', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a', { isPolled: true, minimumSamplingIntervalMs: 10 });
    target.set(1);
    const itemId = harness.monitor(id, 'a', { mode: MonitoringMode.Disabled, interval: 10 });
    expect(target.readCount).toBe(0);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    expect(setMode(harness, id, MonitoringMode.Reporting, itemId)).toEqual([StatusCodes.Good]);
    expect(valuesOf(await nextCycle(harness))).toEqual([1]);
    setMode(harness, id, MonitoringMode.Disabled, itemId);
    const reads = target.readCount;
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    expect(target.readCount).toBe(reads);
    setMode(harness, id, MonitoringMode.Reporting, itemId);
    expect(valuesOf(await nextCycle(harness))).toEqual([1]);
  });

  it('Disabled drops what was queued', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    const itemId = harness.monitor(id, 'a', { queue: 5 });
    target.set(1);
    setMode(harness, id, MonitoringMode.Disabled, itemId);
    expect(harness.manager.heldValues(harness.session).queued).toBe(0);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    expect(harness.manager.diagnostics(id)).toMatchObject({ monitoredItemCount: 1, disabledMonitoredItemCount: 1 });
  });

  it('Sampling queues without reporting, Reporting then reports it', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    const itemId = harness.monitor(id, 'a', { queue: 5, mode: MonitoringMode.Sampling });
    target.set(1);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    setMode(harness, id, MonitoringMode.Reporting, itemId);
    expect(valuesOf(await nextCycle(harness))).toEqual([0, 1]);
    target.set(2);
    setMode(harness, id, MonitoringMode.Sampling, itemId);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    expect(harness.manager.heldValues(harness.session).queued).toBe(1);
  });

  it('of an unknown item is BadMonitoredItemIdInvalid', async () => {
    const { harness, id } = await started();
    expect(setMode(harness, id, MonitoringMode.Sampling, 99)).toEqual([StatusCodes.BadMonitoredItemIdInvalid]);
  });
});

describe('ModifyMonitoredItems', () => {
  it('changes handle, filter, timestamps and interval', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    const itemId = harness.monitor(id, 'a');
    await nextCycle(harness);
    const filter = dataChangeFilter(DataChangeTrigger.StatusValue, DeadbandType.Absolute, 10);
    expect(modify(harness, id, itemId, { handle: 8, queue: 4, interval: 50, filter })).toMatchObject({
      statusCode: StatusCodes.Good,
      revisedQueueSize: 4,
      revisedSamplingInterval: 50,
    });
    target.set(9);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    target.set(11);
    expect(reported(await nextCycle(harness))).toMatchObject([{ handle: 8, value: 11 }]);
    expect(modify(harness, id, 99, {})?.statusCode).toBe(StatusCodes.BadMonitoredItemIdInvalid);
    expect(modify(harness, id, itemId, { filter: dataChangeFilter(1, 9) })?.statusCode).toBe(StatusCodes.BadDeadbandFilterInvalid);
    expect(faultOf(() => modify(harness, id, itemId, { timestamps: TimestampsToReturn.Invalid }))).toBe(
      StatusCodes.BadTimestampsToReturnInvalid,
    );
  });

  it('shrinks the queue to the newest values and flags the gap', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    const itemId = harness.monitor(id, 'a', { queue: 10 });
    for (let i = 1; i < 6; i++) target.set(i);
    modify(harness, id, itemId, { queue: 2 });
    expect(harness.manager.heldValues(harness.session).queued).toBe(2);
    expect(reported(await nextCycle(harness))).toMatchObject([
      { value: 4, status: 0x480 },
      { value: 5, status: 0 },
    ]);
    expect(isKeepAlive(await nextCycle(harness))).toBe(false);
    expect(harness.manager.heldValues(harness.session).queued).toBe(0);
  });

  it('moves a polled item to its new interval', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a', { isPolled: true, minimumSamplingIntervalMs: 10 });
    const itemId = harness.monitor(id, 'a', { interval: 10 });
    await harness.advance(100);
    expect(target.readCount).toBe(11);
    modify(harness, id, itemId, { interval: 50 });
    await harness.advance(100);
    expect(target.readCount).toBe(13);
    expect(harness.manager.totals.samplingGroups).toBe(1);
  });
});

describe('overflow', () => {
  it('is counted and flagged on the reported value', async () => {
    const { harness, id } = await started();
    const target = harness.source.add('a');
    harness.monitor(id, 'a', { queue: 3 });
    for (let i = 1; i <= 5; i++) target.set(i);
    expect(reported(await nextCycle(harness)).map(({ value, status }) => [value, status])).toEqual([
      [3, 0x480],
      [4, 0],
      [5, 0],
    ]);
    expect(harness.manager.diagnostics(id)).toMatchObject({ monitoringQueueOverflowCount: 3, dataChangeNotificationsCount: 3 });
  });
});

describe('values of any type', () => {
  it('are reported as they are, arrays too', async () => {
    const { harness, id } = await started();
    const value = new DataValue(Variant.array(BuiltInType.String, ['a', null]));
    harness.source.add('a', { numericType: undefined }).set(value);
    harness.monitor(id, 'a');
    expect(valuesOf(await nextCycle(harness))).toEqual([['a', null]]);
  });
});
