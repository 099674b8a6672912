"""Steps about subscriptions and monitored items."""

import asyncio
from contextlib import asynccontextmanager

from asyncua import ua

from connection_steps import until
from data_steps import read_one, write
from report import Cannot, check
from values import from_json

class Recorder:
    """Values by NodeId text, in the order of arrival."""

    def __init__(self):
        self.values = {}

    def datachange_notification(self, node, value, _data):
        self.values.setdefault(node.nodeid.to_string(), []).append(value)

    def status_change_notification(self, _status):
        pass

    def count(self, node_id):
        return len(self.values.get(node_id, []))


@asynccontextmanager
async def subscription(client, interval_ms):
    """A subscription with its recorder, deleted at the end."""
    recorder = Recorder()
    created = await client.create_subscription(interval_ms, recorder)
    try:
        yield created, recorder
    finally:
        await created.delete()


async def monitor(created, client, node_ids, sampling_ms, queue_size, mfilter=None):
    """Adds reporting items; returns their ids."""
    requests = [
        created._make_monitored_item_request(
            client.get_node(node_id), ua.AttributeIds.Value, mfilter, queue_size, ua.MonitoringMode.Reporting, sampling_ms
        )
        for node_id in node_ids
    ]
    handles = await created.create_monitored_items(requests)
    for handle in handles:
        check(isinstance(handle, int), f"CreateMonitoredItems: {handle}")
    return handles


async def subscribe_100(config, client):
    node_ids = config["bench"]["nodeIds"]
    async with subscription(client, 100) as (created, recorder):
        await monitor(created, client, node_ids, 50, 20)
        await asyncio.sleep(5)
    counts = [recorder.count(node_id) for node_id in node_ids]
    check(min(counts) >= 30, f"only {min(counts)} values of an item")
    for node_id in node_ids:
        values = recorder.values[node_id]
        gaps = [(a, b) for a, b in zip(values, values[1:]) if abs(b - a - 1) > 1e-6]
        check(not gaps, f"{node_id}: {gaps[:1]}")
    return f"{sum(counts)} values"


async def deadband(config, client):
    for kind, number in (("absolute", ua.DeadbandType.Absolute), ("percent", ua.DeadbandType.Percent)):
        entry = config["deadband"][kind]
        node_id = entry["nodeId"]
        before = (await read_one(client, node_id)).Value
        await write(client, node_id, from_json("Double", entry["base"]))
        mfilter = ua.DataChangeFilter(Trigger=ua.DataChangeTrigger.StatusValue, DeadbandType=number, DeadbandValue=float(entry["deadband"]))
        async with subscription(client, 50) as (created, recorder):
            await monitor(created, client, [node_id], 50, 10, mfilter)
            await until(lambda: recorder.count(node_id) == 1, 2, f"{kind}: no first value")
            await write(client, node_id, from_json("Double", entry["inside"]))
            await asyncio.sleep(0.5)
            check(recorder.count(node_id) == 1, f"{kind}: a change inside the deadband was reported")
            await write(client, node_id, from_json("Double", entry["outside"]))
            await until(lambda: recorder.count(node_id) == 2, 2, f"{kind}: a change outside the deadband was not reported")
            check(recorder.values[node_id][1] == entry["outside"], f"{kind}: {recorder.values[node_id]}")
        await write(client, node_id, before)
    return "absolute and percent"


async def two_subscriptions(config, client):
    node_id = config["counters"]["100ms"]
    async with subscription(client, 100) as (fast, first), subscription(client, 500) as (slow, second):
        await monitor(fast, client, [node_id], 50, 1)
        await monitor(slow, client, [node_id], 50, 1)
        await asyncio.sleep(3)
    counts = (first.count(node_id), second.count(node_id))
    check(counts[1] >= 4 and counts[0] >= 2 * counts[1], f"{counts[0]} and {counts[1]} notifications")
    return f"{counts[0]} and {counts[1]} notifications"


async def modify_items(config, client):
    node_id = config["counters"]["10ms"]
    async with subscription(client, 50) as (created, recorder):
        (handle,) = await monitor(created, client, [node_id], 1000, 1)
        await asyncio.sleep(1.5)
        slow = recorder.count(node_id)
        (result,) = await created.modify_monitored_item(handle, 50, 10)
        result.StatusCode.check()
        check(result.RevisedSamplingInterval == 50 and result.RevisedQueueSize == 10, f"revised {result}")
        await asyncio.sleep(1.5)
        fast = recorder.count(node_id) - slow
        check(slow <= 4 and fast >= 15, f"{slow} before, {fast} after")
        return f"{slow} before, {fast} after"


async def disable_items(config, client):
    node_id = config["counters"]["100ms"]
    async with subscription(client, 50) as (created, recorder):
        await monitor(created, client, [node_id], 50, 10)
        await until(lambda: recorder.count(node_id) > 2, 2, "nothing at first")
        await set_mode(created, ua.MonitoringMode.Disabled)
        await asyncio.sleep(0.2)
        count = recorder.count(node_id)
        await asyncio.sleep(0.6)
        check(recorder.count(node_id) == count, "values while disabled")
        await set_mode(created, ua.MonitoringMode.Reporting)
        await until(lambda: recorder.count(node_id) > count + 2, 2, "nothing after enabling")


async def set_mode(created, mode):
    for status in await created.set_monitoring_mode(mode):
        status.check()


async def set_triggering(_config, _client):
    raise Cannot("the client has no SetTriggering")
