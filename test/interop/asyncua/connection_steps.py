"""Steps about endpoints, security, token renewal and lost connections."""

import asyncio
import time
import urllib.request

from asyncua import ua

from connecting import connected, main_session, make_client
from report import Failed, check

SHORT_LIFETIME_MS = 4000


def connection_steps(config):
    """The steps before the main session, by id."""
    steps = {"endpoints": lambda: endpoints(config)}
    for endpoint in config["endpoints"]:
        for kind, user in (("anonymous", None), ("username", config["user"])):
            steps[f"connect:{endpoint['policy']}:{endpoint['mode']}:{kind}"] = connect_step(config, endpoint, user)
    steps["wrong-password"] = lambda: wrong_password(config)
    steps["untrusted-certificate"] = lambda: untrusted_certificate(config)
    return steps


async def endpoints(config):
    client = await make_client(config, {"policy": "None", "mode": "None"})
    # The client speaks opc.tcp alone; other transports' endpoints are listed beside it.
    found = [e for e in await client.connect_and_get_server_endpoints() if e.EndpointUrl.startswith("opc.tcp:")]
    offered = {(e.SecurityPolicyUri, e.SecurityMode.name.rstrip("_")) for e in found}
    wanted = {(e["policyUri"], e["mode"]) for e in config["endpoints"]}
    check(offered == wanted, f"offered {sorted(offered)}")
    with open(config["serverCertificateFile"], "rb") as file:
        certificate = file.read()
    check(all(e.ServerCertificate.startswith(certificate) for e in found), "another server certificate")
    check(all(e.EndpointUrl.rstrip("/") == config["url"] for e in found), f"other URLs: {found[0].EndpointUrl}")
    return f"{len(found)} endpoints"


def connect_step(config, endpoint, user):
    async def step():
        async with connected(config, endpoint, user=user) as client:
            value = await client.get_node("i=2258").read_data_value()
            check(value.StatusCode.is_good(), f"CurrentTime: {value.StatusCode.name}")

    return step


async def refused(client, expected):
    try:
        await client.connect()
    except ua.UaStatusCodeError as error:
        name = type(error).__name__
        check(name in expected, f"refused with {name}")
        return name
    await client.disconnect()
    raise Failed("not refused")


async def wrong_password(config):
    user = {"name": config["user"]["name"], "password": config["wrongPassword"]}
    return await refused(await make_client(config, config["main"], user=user), config["expect"]["wrongPassword"])


async def untrusted_certificate(config):
    client = await make_client(config, config["main"], user=config["user"], identity="untrusted")
    return await refused(client, config["expect"]["untrustedCertificate"])


async def token_renewal(config):
    client = await make_client(config, config["main"], user=config["user"])
    client.secure_channel_timeout = SHORT_LIFETIME_MS
    renewals = count_renewals(client)
    await client.connect()
    try:
        node = client.get_node("i=2258")
        reads = 0
        end = time.monotonic() + 3.5 * SHORT_LIFETIME_MS / 1000
        # After the second renewal the first token is gone for good.
        while time.monotonic() < end and len(renewals) < 2:
            await node.read_value()
            reads += 1
            await asyncio.sleep(0.05)
        check(len(renewals) > 0, "no renewal happened")
        await node.read_value()
        return f"{len(renewals)} renewals, {reads} reads, lifetime {client.secure_channel_timeout} ms"
    finally:
        await client.disconnect()


def count_renewals(client):
    renewals = []
    open_channel = client.open_secure_channel

    async def counting(renew=False):
        await open_channel(renew=renew)
        if renew:
            renewals.append(time.monotonic())

    client.open_secure_channel = counting
    return renewals


class Values:
    """Keeps the values of a subscription."""

    def __init__(self):
        self.values = []

    def datachange_notification(self, _node, value, _data):
        self.values.append(value)

    def status_change_notification(self, _status):
        pass


async def reconnect(config):
    handler = Values()
    async with main_session(config, url=config["proxy"]["url"], auto_reconnect=True) as client:
        subscription = await client.create_subscription(100, handler)
        await subscription.subscribe_data_change(client.get_node(config["counters"]["100ms"]), queuesize=100)
        await asyncio.sleep(0.5)
        check(handler.values, "no notification before the cut")
        before = (str(client.uaclient.session.authentication_token), subscription.subscription_id)
        await asyncio.to_thread(lambda: urllib.request.urlopen(config["proxy"]["control"] + "/cut").read())
        seen = len(handler.values)
        await asyncio.sleep(0.1)
        await asyncio.wait_for(read_until_good(client.get_node("i=2258")), 10)
        await until(lambda: len(handler.values) > seen + 3, 10, "no notifications after the cut")
        after = (str(client.uaclient.session.authentication_token), subscription.subscription_id)
        session = "same session" if before[0] == after[0] else "new session"
        kept = "same subscription" if before[1] == after[1] else "new subscription"
        lost = sum(b - a - 1 for a, b in zip(handler.values, handler.values[1:]))
        return f"{session}, {kept}, {'no value lost' if lost == 0 else f'{lost} values lost'}"


async def read_until_good(node):
    while True:
        try:
            return await node.read_value()
        except (ConnectionError, ua.UaError):
            await asyncio.sleep(0.2)


async def until(condition, limit_s, message):
    end = time.monotonic() + limit_s
    while not condition():
        check(time.monotonic() < end, message)
        await asyncio.sleep(0.02)


async def close(config):
    client = await make_client(config, config["main"], user=config["user"])
    await client.connect()
    await client.close_session()
    await client.close_secure_channel()
    client.disconnect_socket()
    try:
        await client.get_node("i=2258").read_value()
    except Exception as error:
        return f"then {type(error).__name__}"
    raise Failed("a read still works")
