import { AttributeIds, DataChangeFilter, DataChangeTrigger, DeadbandType, MonitoringMode, TimestampsToReturn } from 'node-opcua';
import { check, pause, until } from './report.mjs';
import { fromJson } from './values.mjs';

/** A subscription, deleted at the end. */
export async function withSubscription(session, intervalMs, run) {
  const subscription = await session.createSubscription2({
    requestedPublishingInterval: intervalMs,
    requestedLifetimeCount: 1000,
    requestedMaxKeepAliveCount: 20,
    maxNotificationsPerPublish: 0,
    publishingEnabled: true,
    priority: 0,
  });
  try {
    check(subscription instanceof Object && subscription.subscriptionId > 0, 'no subscription');
    return await run(subscription);
  } finally {
    await subscription.terminate();
  }
}

/** Adds reporting items. @returns the values by NodeId text, which grow. */
export async function monitor(subscription, nodeIds, parameters) {
  const values = new Map(nodeIds.map((nodeId) => [nodeId, []]));
  const group = await subscription.monitorItems(
    nodeIds.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value })),
    { discardOldest: true, ...parameters },
    TimestampsToReturn.Both,
  );
  group.on('changed', (_item, { value }, index) => values.get(nodeIds[index]).push(value.value));
  return values;
}

/** Adds one item. @returns the item and its values, which grow. */
export async function monitorOne(subscription, nodeId, parameters, mode = MonitoringMode.Reporting) {
  const item = await subscription.monitor(
    { nodeId, attributeId: AttributeIds.Value },
    { discardOldest: true, ...parameters },
    TimestampsToReturn.Both,
    mode,
  );
  check(item instanceof Object && item.statusCode.isGood(), () => `CreateMonitoredItems: ${item.statusCode.name}`);
  const values = [];
  item.on('changed', ({ value }) => values.push(value.value));
  return { item, values };
}

async function put(session, nodeId, type, value) {
  const statusCode = await session.write({ nodeId, attributeId: AttributeIds.Value, value: { value: fromJson(type, value) } });
  check(statusCode.isGood(), `write: ${statusCode.name}`);
}

async function currentValue(session, nodeId) {
  return (await session.read({ nodeId, attributeId: AttributeIds.Value })).value.value;
}

export function subscribe100({ bench }, session) {
  return withSubscription(session, 100, async (subscription) => {
    const values = await monitor(subscription, bench.nodeIds, { samplingInterval: 50, queueSize: 20 });
    await pause(5000);
    let sum = 0;
    for (const [nodeId, list] of values) {
      check(list.length >= 30, `${nodeId}: only ${list.length} values`);
      const gap = list.findIndex((value, i) => i > 0 && Math.abs(value - list[i - 1] - 1) > 1e-6);
      check(gap === -1, () => `${nodeId}: ${list[gap]} after ${list[gap - 1]}`);
      sum += list.length;
    }
    return `${sum} values`;
  });
}

export async function deadband({ deadband: kinds }, session) {
  for (const [kind, { nodeId, deadband: deadbandValue, base, inside, outside }] of Object.entries(kinds)) {
    const before = await currentValue(session, nodeId);
    await put(session, nodeId, 'Double', base);
    const filter = new DataChangeFilter({
      trigger: DataChangeTrigger.StatusValue,
      deadbandType: kind === 'absolute' ? DeadbandType.Absolute : DeadbandType.Percent,
      deadbandValue,
    });
    await withSubscription(session, 50, async (subscription) => {
      const { values } = await monitorOne(subscription, nodeId, { samplingInterval: 50, queueSize: 10, filter });
      await until(() => values.length === 1, 2000, `${kind}: no first value`);
      await put(session, nodeId, 'Double', inside);
      await pause(500);
      check(values.length === 1, `${kind}: a change inside the deadband was reported`);
      await put(session, nodeId, 'Double', outside);
      await until(() => values.length === 2, 2000, `${kind}: a change outside the deadband was not reported`);
      check(values[1] === outside, `${kind}: ${values.join()}`);
    });
    await put(session, nodeId, 'Double', before);
  }
  return Object.keys(kinds).join(' and ');
}

export function twoSubscriptions({ counters }, session) {
  return withSubscription(session, 100, (fast) =>
    withSubscription(session, 500, async (slow) => {
      const parameters = { samplingInterval: 50, queueSize: 1 };
      const first = await monitorOne(fast, counters['100ms'], parameters);
      const second = await monitorOne(slow, counters['100ms'], parameters);
      await pause(3000);
      const detail = `${first.values.length} and ${second.values.length} notifications`;
      check(second.values.length >= 4 && first.values.length >= 2 * second.values.length, detail);
      return detail;
    }),
  );
}

export function modifyItems({ counters }, session) {
  return withSubscription(session, 50, async (subscription) => {
    const { item, values } = await monitorOne(subscription, counters['10ms'], { samplingInterval: 1000, queueSize: 1 });
    await pause(1500);
    const slow = values.length;
    const result = await item.modify({ samplingInterval: 50, queueSize: 10, discardOldest: true });
    check(result.statusCode.isGood(), `modify: ${result.statusCode.name}`);
    check(result.revisedSamplingInterval === 50 && result.revisedQueueSize === 10, `revised ${result}`);
    await pause(1500);
    const detail = `${slow} before, ${values.length - slow} after`;
    check(slow <= 4 && values.length - slow >= 15, detail);
    return detail;
  });
}

export function disableItems({ counters }, session) {
  return withSubscription(session, 50, async (subscription) => {
    const { item, values } = await monitorOne(subscription, counters['100ms'], { samplingInterval: 50, queueSize: 10 });
    await until(() => values.length > 2, 2000, 'nothing at first');
    await setMode(item, MonitoringMode.Disabled);
    await pause(200);
    const count = values.length;
    await pause(600);
    check(values.length === count, 'values while disabled');
    await setMode(item, MonitoringMode.Reporting);
    await until(() => values.length > count + 2, 2000, 'nothing after enabling');
  });
}

async function setMode(item, mode) {
  const statusCode = await item.setMonitoringMode(mode);
  check(statusCode.isGood(), `SetMonitoringMode: ${statusCode.name}`);
}

export function setTriggering({ triggering: { triggering, triggered } }, session) {
  return withSubscription(session, 50, async (subscription) => {
    const first = await monitorOne(subscription, triggering, { samplingInterval: 50, queueSize: 10 });
    const second = await monitorOne(subscription, triggered, { samplingInterval: 50, queueSize: 10 }, MonitoringMode.Sampling);
    await until(() => first.values.length === 1, 2000, 'no first value');
    const { responseHeader, addResults } = await subscription.setTriggering(first.item, [second.item], null);
    check(responseHeader.serviceResult.isGood() && addResults[0].isGood(), `SetTriggering: ${addResults?.[0]?.name}`);
    await pause(400);
    check(second.values.length === 0, 'reported without being triggered');
    const before = await currentValue(session, triggering);
    await put(session, triggering, 'Int32', before === 7 ? 8 : 7);
    await until(() => first.values.length === 2 && second.values.length > 0, 2000, 'not reported when triggered');
    await put(session, triggering, 'Int32', before);
    return `${second.values.length} values triggered`;
  });
}
