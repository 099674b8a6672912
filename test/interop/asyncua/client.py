"""The interop script for asyncua: python client.py config.json. README.md beside this folder says what is printed."""

import asyncio
import json
import logging
import sys

import connection_steps as connection
import data_steps as data
import subscription_steps as subscriptions
from connecting import main_session
from report import play

MAIN_STEPS = {
    "browse-all": data.browse_all,
    "read-attributes": data.read_attributes,
    "read-values": data.read_values,
    "write-scalars": data.write_all("scalars"),
    "write-arrays": data.write_all("arrays"),
    "write-matrices": data.write_all("matrices"),
    "call-methods": data.call_methods,
    "index-ranges": data.index_ranges,
    "data-type-definitions": data.data_type_definitions,
    "structures": data.structures,
    "subscribe-100": subscriptions.subscribe_100,
    "deadband": subscriptions.deadband,
    "two-subscriptions": subscriptions.two_subscriptions,
    "modify-items": subscriptions.modify_items,
    "disable-items": subscriptions.disable_items,
    "set-triggering": subscriptions.set_triggering,
    "events": data.events,
}


async def main(config):
    for step_id, step in connection.connection_steps(config).items():
        await play(step_id, step)
    try:
        async with main_session(config) as client:
            for step_id, step in MAIN_STEPS.items():
                await play(step_id, lambda step=step: step(config, client))
    except Exception as error:
        print(f"main session: {error!r}", file=sys.stderr)
    for step_id, step in (("token-renewal", connection.token_renewal), ("reconnect", connection.reconnect), ("close", connection.close)):
        await play(step_id, lambda step=step: step(config))


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    with open(sys.argv[1], encoding="utf-8") as file:
        asyncio.run(main(json.load(file)))
