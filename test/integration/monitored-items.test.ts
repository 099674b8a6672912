import { DateTime, StatusCodes } from '@bulkhead/types';
import { type ClientSession, DataChangeFilter, DataChangeTrigger, DeadbandType, MonitoringMode, TimestampsToReturn } from 'node-opcua';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import {
  collect,
  type HandledValue,
  modifyMonitoredItems,
  monitor,
  publish,
  raw,
  subscribe,
  valuesOf,
  variable,
} from '../support/publishing.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

const WRITABLE = 'ns=2;s=Bench.Writable';
const TEMPERATURE = 'ns=2;s=Analog.Temperature';
const OTHER = 'ns=2;s=Bench.Double.7';
const OVERFLOW = 0x480;
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;

beforeAll(async () => {
  server = await startReferenceTestServer();
  clients = await ForeignClients.create();
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

beforeEach(async () => {
  session = await clients.session(server.endpointUrl);
});
afterEach(() => clients.disconnect());

function set(nodeId: string, ...values: number[]): void {
  for (const value of values) variable(server.server, nodeId).setValue(value);
}

function numbers(values: readonly HandledValue[]): number[] {
  return values.map(({ value }) => value.value.value);
}

/** Publishes until a value came that is the last one. */
function collectUntil(last: number): Promise<HandledValue[]> {
  return collect(session, (values) => values.at(-1)?.value.value.value === last);
}

function filter(trigger: DataChangeTrigger, deadbandType = DeadbandType.None, deadbandValue = 0): { filter: DataChangeFilter } {
  return { filter: new DataChangeFilter({ trigger, deadbandType, deadbandValue }) };
}

describe('deadbands and triggers of data changes', () => {
  it('an absolute deadband lets through what differs by more from the last one let through', async () => {
    set(WRITABLE, 0);
    const subscriptionId = await subscribe(session);
    await monitor(session, subscriptionId, [{ nodeId: WRITABLE, ...filter(DataChangeTrigger.StatusValue, DeadbandType.Absolute, 5) }]);
    set(WRITABLE, 3, 5, 6, 9, 11, 12, -20);
    expect(numbers(await collectUntil(-20))).toEqual([0, 6, 12, -20]);
  });

  it('a percent deadband is one of the EURange', async () => {
    set(TEMPERATURE, 20);
    const subscriptionId = await subscribe(session);
    const created = await monitor(session, subscriptionId, [
      { nodeId: TEMPERATURE, ...filter(DataChangeTrigger.StatusValue, DeadbandType.Percent, 10) },
      { nodeId: WRITABLE, ...filter(DataChangeTrigger.StatusValue, DeadbandType.Percent, 10) },
      { nodeId: TEMPERATURE, ...filter(DataChangeTrigger.StatusValue, DeadbandType.Percent, 101) },
      { nodeId: 'ns=2;s=Scalar.Static.String', ...filter(DataChangeTrigger.StatusValue, DeadbandType.Absolute, 1) },
    ]);
    expect(created.map(({ status }) => status)).toEqual([
      'Good',
      'BadMonitoredItemFilterUnsupported',
      'BadDeadbandFilterInvalid',
      'BadFilterNotAllowed',
    ]);
    // The range is 165 wide.
    set(TEMPERATURE, 36, 37, 21, 20);
    expect(numbers(await collectUntil(20))).toEqual([20, 37, 20]);
  });

  it('a trigger says whether a new status, value or timestamp counts', async () => {
    const node = variable(server.server, WRITABLE);
    set(WRITABLE, 1);
    const subscriptionId = await subscribe(session);
    await monitor(session, subscriptionId, [
      { nodeId: WRITABLE, ...filter(DataChangeTrigger.Status) },
      { nodeId: WRITABLE, ...filter(DataChangeTrigger.StatusValue) },
      { nodeId: WRITABLE, ...filter(DataChangeTrigger.StatusValueTimestamp) },
    ]);
    const at = (second: number): DateTime => DateTime.parse(`2026-01-01T00:00:0${second}Z`);
    node.setValue(1, { sourceTimestamp: at(1) });
    node.setValue(2, { sourceTimestamp: at(2) });
    node.setValue(2, { sourceTimestamp: at(2), statusCode: StatusCodes.Uncertain });
    const values = await collect(session, (all) => all.length >= 8);
    const countOf = (handle: number): number => values.filter(({ clientHandle }) => clientHandle === handle).length;
    expect([countOf(0), countOf(1), countOf(2)]).toEqual([2, 3, 4]);
    set(WRITABLE, 0);
  });
});

describe('the queue of an item', () => {
  it('keeps the newest values, or the oldest, and says that some were lost', async () => {
    set(WRITABLE, 0);
    const subscriptionId = await subscribe(session, 200);
    await monitor(session, subscriptionId, [
      { nodeId: WRITABLE, queueSize: 3, discardOldest: true },
      { nodeId: WRITABLE, queueSize: 3, discardOldest: false },
      { nodeId: WRITABLE, queueSize: 1, discardOldest: true },
    ]);
    set(WRITABLE, 1, 2, 3, 4);
    const values = await collect(session, (all) => all.length >= 7);
    const of = (handle: number): HandledValue[] => values.filter(({ clientHandle }) => clientHandle === handle);
    const overflowed = (handle: number): boolean[] => of(handle).map(({ value }) => (value.statusCode.value & OVERFLOW) === OVERFLOW);
    expect([0, 1, 2].map((handle) => numbers(of(handle)))).toEqual([[2, 3, 4], [0, 1, 4], [4]]);
    expect([0, 1, 2].map(overflowed)).toEqual([[true, false, false], [false, false, true], [false]]);
  });

  it('can be made longer and shorter, and the item be given another handle and filter', async () => {
    set(WRITABLE, 0);
    const subscriptionId = await subscribe(session);
    const [item] = await monitor(session, subscriptionId, [{ nodeId: WRITABLE, queueSize: 1 }]);
    await collectUntil(0);
    const requestedParameters = {
      clientHandle: 77,
      samplingInterval: 0,
      queueSize: 10,
      discardOldest: true,
      ...filter(DataChangeTrigger.StatusValue, DeadbandType.Absolute, 2),
    };
    const { results } = await modifyMonitoredItems(session, {
      subscriptionId,
      timestampsToReturn: TimestampsToReturn.Neither,
      itemsToModify: [
        { monitoredItemId: item?.id ?? 0, requestedParameters },
        { monitoredItemId: 4711, requestedParameters },
      ],
    });
    expect(results?.map(({ statusCode, revisedQueueSize }) => [statusCode.name, revisedQueueSize])).toEqual([
      ['Good', 10],
      ['BadMonitoredItemIdInvalid', 0],
    ]);
    set(WRITABLE, 1, 2, 3, 6);
    const values = await collectUntil(6);
    expect(numbers(values)).toEqual([3, 6]);
    for (const { clientHandle, value } of values) {
      expect([clientHandle, value.sourceTimestamp, value.serverTimestamp]).toEqual([77, null, null]);
    }
  });
});

describe('monitoring modes', () => {
  it('disabled takes nothing, sampling keeps it back, reporting gives it out', async () => {
    set(WRITABLE, 0);
    const subscriptionId = await subscribe(session);
    const [item] = await monitor(session, subscriptionId, [{ nodeId: WRITABLE }]);
    const monitoredItemIds = [item?.id ?? 0];
    const mode = async (monitoringMode: MonitoringMode): Promise<(string | undefined)[]> => {
      const { results } = await raw(session).setMonitoringMode({ subscriptionId, monitoringMode, monitoredItemIds });
      return (results ?? []).map(({ name }) => name);
    };
    expect(numbers(await collectUntil(0))).toEqual([0]);
    expect(await mode(MonitoringMode.Disabled)).toEqual(['Good']);
    set(WRITABLE, 1, 2);
    await mode(MonitoringMode.Reporting);
    set(WRITABLE, 3);
    // Enabling gives the present value first.
    expect(numbers(await collectUntil(3))).toEqual([2, 3]);
    await mode(MonitoringMode.Sampling);
    set(WRITABLE, 4, 5);
    const waiting = publish(session);
    await expect(Promise.race([waiting, new Promise((resolve) => setTimeout(resolve, 250, 'nothing'))])).resolves.toBe('nothing');
    await mode(MonitoringMode.Reporting);
    expect(numbers(valuesOf((await waiting).notificationMessage))).toEqual([4, 5]);
  });

  it('an item that samples is reported when another one triggers it', async () => {
    set(WRITABLE, 0);
    set(OTHER, 0);
    const subscriptionId = await subscribe(session);
    const [trigger, sampled] = await monitor(session, subscriptionId, [
      { nodeId: WRITABLE },
      { nodeId: OTHER, monitoringMode: MonitoringMode.Sampling },
    ]);
    expect((await collectUntil(0)).map(({ clientHandle }) => clientHandle)).toEqual([0]);
    const { addResults } = await raw(session).setTriggering({
      subscriptionId,
      triggeringItemId: trigger?.id ?? 0,
      linksToAdd: [sampled?.id ?? 0, 4711],
    });
    expect(addResults?.map(({ name }) => name)).toEqual(['Good', 'BadMonitoredItemIdInvalid']);
    set(OTHER, 1, 2);
    set(WRITABLE, 10);
    const values = await collect(session, (all) => all.length >= 4);
    const of = (handle: number): number[] => numbers(values.filter(({ clientHandle }) => clientHandle === handle));
    expect([of(0), of(1)]).toEqual([[10], [0, 1, 2]]);
    const { removeResults } = await raw(session).setTriggering({
      subscriptionId,
      triggeringItemId: trigger?.id ?? 0,
      linksToRemove: [sampled?.id ?? 0],
    });
    expect(removeResults?.map(({ name }) => name)).toEqual(['Good']);
    set(OTHER, 3);
    set(WRITABLE, 11);
    expect((await collectUntil(11)).map(({ clientHandle }) => clientHandle)).toEqual([0]);
  });
});

describe('an item that can’t be read', () => {
  it('is created all the same, and its values say why', async () => {
    const subscriptionId = await subscribe(session);
    const names = ['Access.WriteOnly', 'Access.OperatorOnly', 'Source.ThrowsStatus', 'Source.Rejects'];
    const items = await monitor(
      session,
      subscriptionId,
      names.map((name) => ({ nodeId: `ns=2;s=${name}` })),
    );
    expect(items.map(({ status }) => status)).toEqual(['Good', 'Good', 'Good', 'Good']);
    const values = await collect(session, (all) => new Set(all.map(({ clientHandle }) => clientHandle)).size === names.length);
    const codes = names.map((_, handle) => values.find(({ clientHandle }) => clientHandle === handle)?.value.statusCode.name);
    expect(codes).toEqual(['BadNotReadable', 'BadUserAccessDenied', 'BadSensorFailure', 'BadDeviceFailure']);
  });
});
