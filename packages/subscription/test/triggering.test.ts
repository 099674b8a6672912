import { DeleteMonitoredItemsRequest, MonitoringMode, SetTriggeringRequest, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { type FakeTarget, faultOf, Harness, nextCycle, reported, started, valuesOf } from './harness.ts';

describe('triggering', () => {
  async function linked(triggeringMode: MonitoringMode = MonitoringMode.Reporting): Promise<{
    harness: Harness;
    id: number;
    triggering: number;
    items: number[];
    targets: FakeTarget[];
  }> {
    const { harness, id } = await started();
    const targets = ['t', 'a', 'b'].map((name) => harness.source.add(name));
    const triggering = harness.monitor(id, 't', { handle: 0, mode: triggeringMode });
    const items = ['a', 'b'].map((name, i) => harness.monitor(id, name, { handle: i + 1, mode: MonitoringMode.Sampling, queue: 5 }));
    await nextCycle(harness);
    return { harness, id, triggering, items, targets };
  }
  const link = (harness: Harness, subscriptionId: number, triggeringItemId: number, linksToAdd: number[], linksToRemove: number[] = []) =>
    harness.manager.setTriggering(
      harness.session,
      SetTriggeringRequest.create({ subscriptionId, triggeringItemId, linksToAdd, linksToRemove }),
    );

  it('reports the linked sampling item when the triggering item has a Notification, and only then', async () => {
    const { harness, id, triggering, items, targets } = await linked();
    expect(link(harness, id, triggering, [items[0]!]).addResults).toEqual([StatusCodes.Good]);
    targets[1]?.set(1);
    targets[2]?.set(1);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    targets[0]?.set(5);
    expect(reported(await nextCycle(harness)).map(({ handle, value }) => [handle, value])).toEqual([
      [0, 5],
      [1, 0],
      [1, 1],
    ]);
    targets[1]?.set(2);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
  });

  it('works from a sampling item, which itself stays silent', async () => {
    const { harness, id, triggering, items, targets } = await linked(MonitoringMode.Sampling);
    link(harness, id, triggering, items);
    targets[0]?.set(5);
    expect(reported(await nextCycle(harness)).map(({ handle }) => handle)).toEqual([1, 2]);
  });

  it('ends with the cycle when the linked item had nothing to report', async () => {
    const { harness, id, triggering, items, targets } = await linked(MonitoringMode.Sampling);
    link(harness, id, triggering, [items[0]!]);
    targets[0]?.set(5);
    await nextCycle(harness);
    targets[0]?.set(6);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
    targets[1]?.set(7);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
  });

  it('does not follow chains', async () => {
    const { harness, id, triggering, items, targets } = await linked();
    link(harness, id, triggering, [items[0]!]);
    link(harness, id, items[0]!, [items[1]!]);
    await nextCycle(harness);
    targets[0]?.set(5);
    expect(reported(await nextCycle(harness)).map(({ handle }) => handle)).toEqual([0, 1]);
  });

  it('removes links before it adds and answers each', async () => {
    const { harness, id, triggering, items, targets } = await linked();
    link(harness, id, triggering, [items[0]!]);
    expect(link(harness, id, triggering, [items[1]!, 99, triggering], [items[0]!, items[1]!, 98])).toMatchObject({
      addResults: [StatusCodes.Good, StatusCodes.BadMonitoredItemIdInvalid, StatusCodes.BadMonitoredItemIdInvalid],
      removeResults: [StatusCodes.Good, StatusCodes.BadMonitoredItemIdInvalid, StatusCodes.BadMonitoredItemIdInvalid],
    });
    targets[0]?.set(5);
    expect(reported(await nextCycle(harness)).map(({ handle }) => handle)).toEqual([0, 2]);
    expect(faultOf(() => link(harness, id, 77, [items[0]!]))).toBe(StatusCodes.BadMonitoredItemIdInvalid);
    expect(faultOf(() => link(harness, id, triggering, []))).toBe(StatusCodes.BadNothingToDo);
  });

  it('forgets the links of deleted items', async () => {
    const { harness, id, triggering, items, targets } = await linked();
    link(harness, id, triggering, items);
    const remove = (itemId: number) =>
      harness.manager.deleteMonitoredItems(
        harness.session,
        DeleteMonitoredItemsRequest.create({ subscriptionId: id, monitoredItemIds: [itemId, 99] }),
      ).results;
    expect(remove(items[0]!)).toEqual([StatusCodes.Good, StatusCodes.BadMonitoredItemIdInvalid]);
    targets[0]?.set(5);
    expect(reported(await nextCycle(harness)).map(({ handle }) => handle)).toEqual([0, 2]);
    remove(triggering);
    targets[2]?.set(5);
    expect(valuesOf(await nextCycle(harness))).toEqual([]);
  });

  it('is bounded', async () => {
    const harness = new Harness({ maxTriggeringLinksPerSubscription: 1 });
    const id = harness.subscribe();
    harness.source.add('a');
    const items = [0, 1, 2].map(() => harness.monitor(id, 'a'));
    expect(link(harness, id, items[0]!, [items[1]!, items[2]!]).addResults).toEqual([StatusCodes.Good, StatusCodes.BadResourceUnavailable]);
  });
});
