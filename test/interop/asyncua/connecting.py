"""Clients for the endpoints of config.json."""

from contextlib import asynccontextmanager

from asyncua import Client, ua
from asyncua.crypto import security_policies

TIMEOUT_S = 10
POLICIES = {
    "Basic256Sha256": security_policies.SecurityPolicyBasic256Sha256,
    "Aes128_Sha256_RsaOaep": security_policies.SecurityPolicyAes128Sha256RsaOaep,
    "Aes256_Sha256_RsaPss": security_policies.SecurityPolicyAes256Sha256RsaPss,
}


async def make_client(config, endpoint, *, user=None, identity="client", url=None, **options):
    """A client that is not connected yet."""
    client = Client(url or config["url"], timeout=TIMEOUT_S, **options)
    own = config[identity]
    client.application_uri = own["applicationUri"]
    if endpoint["policy"] != "None":
        await client.set_security(
            POLICIES[endpoint["policy"]],
            own["certificateFile"],
            own["privateKeyFile"],
            server_certificate=config["serverCertificateFile"],
            mode=ua.MessageSecurityMode[endpoint["mode"]],
        )
    if user:
        client.set_user(user["name"])
        client.set_password(user["password"])
    return client


@asynccontextmanager
async def connected(config, endpoint, **options):
    """A client with a Session, closed at the end."""
    client = await make_client(config, endpoint, **options)
    await client.connect()
    try:
        yield client
    finally:
        await client.disconnect()


@asynccontextmanager
async def main_session(config, **options):
    """A client of the main endpoint and user."""
    async with connected(config, config["main"], user=config["user"], **options) as client:
        yield client
