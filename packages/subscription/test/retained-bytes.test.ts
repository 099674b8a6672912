import type { SessionContext } from '@bulkhead/contracts';
import {
  BuiltInType,
  DataValue,
  DeleteSubscriptionsRequest,
  INFO_TYPE_DATA_VALUE,
  ModifyMonitoredItemsRequest,
  MonitoredItemModifyRequest,
  MonitoringMode,
  MonitoringParameters,
  OVERFLOW_BIT,
  RepublishRequest,
  SetMonitoringModeRequest,
  StatusCodes,
  TransferSubscriptionsRequest,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { retainedBytesOf } from '../src/retained-value.ts';
import { CountingAccounts, createSession, faultOf, Harness, reported } from './harness.ts';

const OVERFLOW = (INFO_TYPE_DATA_VALUE | OVERFLOW_BIT) >>> 0;
const ONE_BYTES = retainedBytesOf(new DataValue(Variant.double(0)));
const ownerKeyOf = ({ sessionName }: SessionContext): string => sessionName;
const one = createSession('one', { user: 'joe' });
const two = createSession('two', { user: 'joe' });

interface Bench {
  readonly harness: Harness;
  readonly accounts: CountingAccounts;
}

function benchWith(maxValuesPerOwner: number): Bench {
  const accounts = new CountingAccounts(maxValuesPerOwner * ONE_BYTES);
  const harness = new Harness({}, { accounts, ownerKeyOf });
  harness.source.add('a');
  harness.source.add('b');
  return { harness, accounts };
}

describe('what queued values keep alive', () => {
  it.each([
    ['a number', Variant.double(1), 0],
    ['a text', Variant.string('x'.repeat(1000)), 2000],
    ['bytes', Variant.scalar(BuiltInType.ByteString, Buffer.alloc(5000)), 5000],
    ['an array of numbers', Variant.array(BuiltInType.Double, new Float64Array(100)), 800],
    ['an array of texts', Variant.array(BuiltInType.String, ['x'.repeat(100), 'y'.repeat(100)]), 400],
  ])('BX-08 counts %s by what it is made of', (_name, value, bytes) => {
    const counted = retainedBytesOf(new DataValue(value)) - ONE_BYTES;
    expect(counted).toBeGreaterThanOrEqual(bytes);
    expect(counted).toBeLessThanOrEqual(bytes + 300);
  });
});

describe('values retained for an owner', () => {
  it('BX-08 are charged from the queue until they are acknowledged', async () => {
    const { harness, accounts } = benchWith(100);
    const id = harness.subscribe({}, one);
    harness.monitor(id, 'a', { queue: 10 }, one);
    harness.source.targets.get('a')?.set(1);
    expect(accounts.ofOwner('one')).toBe(2 * ONE_BYTES);
    const publish = await harness.publish(one);
    await harness.advance(100);
    expect(reported(publish)).toHaveLength(2);
    expect(accounts.ofOwner('one')).toBe(2 * ONE_BYTES);
    await harness.publish(one, [[id, 1]]);
    expect(accounts.ofOwner('one')).toBe(0);
    harness.manager.dispose();
    expect(accounts.used.size).toBe(0);
  });

  it('BX-08 overflow like a full queue when the owner has no bytes left, and cost nobody else a value', async () => {
    const { harness, accounts } = benchWith(5);
    const greedy = harness.subscribe({}, one);
    const modest = harness.subscribe({}, two);
    harness.monitor(greedy, 'a', { queue: 100 }, one);
    harness.monitor(modest, 'a', { queue: 100 }, two);
    for (let value = 1; value <= 4; value++) harness.source.targets.get('a')?.set(value);
    accounts.maxBytesPerOwner = 10 * ONE_BYTES;
    for (let value = 5; value <= 8; value++) harness.source.targets.get('a')?.set(value);
    accounts.maxBytesPerOwner = 9 * ONE_BYTES;
    harness.source.targets.get('a')?.set(9);
    const publish = await harness.publish(one);
    await harness.advance(100);
    const values = reported(publish);
    expect(values.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(values.map(({ status }) => status)).toEqual([OVERFLOW, 0, 0, 0, 0, 0, 0, 0, 0]);
    harness.manager.dispose();
    expect(accounts.used.size).toBe(0);
  });

  it('BX-08 lose the newest where the client wants the oldest kept', async () => {
    const { harness } = benchWith(3);
    const id = harness.subscribe({}, one);
    harness.monitor(id, 'a', { queue: 100, discardOldest: false }, one);
    for (let value = 1; value <= 6; value++) harness.source.targets.get('a')?.set(value);
    const publish = await harness.publish(one);
    await harness.advance(100);
    expect(reported(publish).map(({ value, status }) => [value, status])).toEqual([
      [0, 0],
      [1, OVERFLOW],
      [6, 0],
    ]);
    harness.manager.dispose();
  });

  it('BX-08 flag the gap with the next value where the queue had none to lose', async () => {
    const { harness, accounts } = benchWith(1);
    const id = harness.subscribe({}, one);
    harness.monitor(id, 'a', { queue: 5 }, one);
    harness.monitor(id, 'b', { queue: 5, handle: 2 }, one);
    expect(accounts.ofOwner('one')).toBe(ONE_BYTES);
    accounts.maxBytesPerOwner = 10 * ONE_BYTES;
    harness.source.targets.get('b')?.set(7);
    const publish = await harness.publish(one);
    await harness.advance(100);
    expect(reported(publish).map(({ handle, value, status }) => [handle, value, status])).toEqual([
      [1, 0, 0],
      [2, 7, OVERFLOW],
    ]);
    harness.manager.dispose();
  });

  it('BX-08 give up sent messages before values that were not sent, the oldest first', async () => {
    const { harness } = benchWith(4);
    const id = harness.subscribe({}, one);
    harness.monitor(id, 'a', { queue: 100 }, one);
    for (let message = 1; message <= 3; message++) {
      await harness.publish(one);
      await harness.advance(100);
      harness.source.targets.get('a')?.set(message);
    }
    const republish = (retransmitSequenceNumber: number): number =>
      harness.manager.republish(one, RepublishRequest.create({ subscriptionId: id, retransmitSequenceNumber })).notificationMessage
        .sequenceNumber;
    harness.source.targets.get('a')?.set(4);
    expect(faultOf(() => republish(1))).toBe(StatusCodes.BadMessageNotAvailable);
    expect([republish(2), republish(3)]).toEqual([2, 3]);
    const publish = await harness.publish(one);
    await harness.advance(100);
    expect(reported(publish).map(({ value, status }) => [value, status])).toEqual([
      [3, 0],
      [4, 0],
    ]);
    harness.manager.dispose();
  });

  it('BX-08 end with the queue: when it shrinks, is disabled, or its Subscription goes', () => {
    const { harness, accounts } = benchWith(100);
    const id = harness.subscribe({}, one);
    const item = harness.monitor(id, 'a', { queue: 10 }, one);
    for (let value = 1; value <= 7; value++) harness.source.targets.get('a')?.set(value);
    expect(accounts.ofOwner('one')).toBe(8 * ONE_BYTES);
    const requestedParameters = MonitoringParameters.create({ queueSize: 3, discardOldest: true });
    const itemsToModify = [MonitoredItemModifyRequest.create({ monitoredItemId: item, requestedParameters })];
    harness.manager.modifyMonitoredItems(one, ModifyMonitoredItemsRequest.create({ subscriptionId: id, itemsToModify }));
    expect(accounts.ofOwner('one')).toBe(3 * ONE_BYTES);
    const disable = { subscriptionId: id, monitoringMode: MonitoringMode.Disabled, monitoredItemIds: [item] };
    harness.manager.setMonitoringMode(one, SetMonitoringModeRequest.create(disable));
    expect(accounts.ofOwner('one')).toBe(0);
    const other = harness.subscribe({}, one);
    harness.monitor(other, 'b', { queue: 10 }, one);
    harness.manager.deleteSubscriptions(one, DeleteSubscriptionsRequest.create({ subscriptionIds: [other] }));
    expect(accounts.ofOwner('one')).toBe(0);
    harness.manager.dispose();
    expect(accounts.used.size).toBe(0);
  });

  it('BX-08 move to the owner of the Session that takes the Subscription over, as far as it has room', async () => {
    const { harness, accounts } = benchWith(4);
    const id = harness.subscribe({}, one);
    harness.monitor(id, 'a', { queue: 10 }, one);
    await harness.publish(one);
    await harness.advance(100);
    for (let value = 1; value <= 3; value++) harness.source.targets.get('a')?.set(value);
    const own = harness.subscribe({}, two);
    harness.monitor(own, 'b', { queue: 10 }, two);
    expect([accounts.ofOwner('one'), accounts.ofOwner('two')]).toEqual([4 * ONE_BYTES, ONE_BYTES]);
    harness.manager.transferSubscriptions(two, TransferSubscriptionsRequest.create({ subscriptionIds: [id] }));
    // What was sent is given up for what wasn't.
    expect([accounts.ofOwner('one'), accounts.ofOwner('two')]).toEqual([0, 4 * ONE_BYTES]);
    harness.manager.dispose();
    expect(accounts.used.size).toBe(0);
  });

  it('BX-08 move along when the Session is activated by another user', () => {
    let key = 'before';
    const accounts = new CountingAccounts(4 * ONE_BYTES);
    const harness = new Harness({}, { accounts, ownerKeyOf: () => key });
    harness.source.add('a');
    const id = harness.subscribe();
    harness.monitor(id, 'a', { queue: 10 });
    key = 'after';
    harness.manager.sessionActivated(harness.session);
    expect([accounts.ofOwner('before'), accounts.ofOwner('after')]).toEqual([0, ONE_BYTES]);
    harness.manager.dispose();
    expect(accounts.used.size).toBe(0);
  });
});

describe('a NotificationMessage', () => {
  it('has no more bytes than a response may have; the rest follows in the next one', async () => {
    const harness = new Harness({ maxNotificationBytesPerPublish: 10_000 });
    harness.source.add('a');
    const id = harness.subscribe();
    harness.monitor(id, 'a', { queue: 100 });
    for (let at = 0; at < 9; at++) {
      harness.source.targets.get('a')?.set(new DataValue(Variant.scalar(BuiltInType.ByteString, Buffer.alloc(at < 8 ? 3000 : 50_000, at))));
    }
    const first = await harness.publish();
    await harness.advance(100);
    const counts = [reported(first).length];
    for (let more = first.body?.moreNotifications; more === true; ) {
      const next = await harness.publish();
      counts.push(reported(next).length);
      more = next.body?.moreNotifications;
    }
    expect(counts).toEqual([4, 3, 2, 1]);
    harness.manager.dispose();
  });
});
