"""A server of asyncua for the client under test. Arguments: port, certificate (DER), key (PEM), ApplicationUri."""

import asyncio
import json
import sys

from asyncua import Server, ua


async def main(port: str, certificate: str, key: str, application_uri: str, *_: str) -> None:
    server = Server()
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{port}")
    await server.set_application_uri(application_uri)
    server.set_security_policy([ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt])
    await server.load_certificate(certificate)
    await server.load_private_key(key)
    index = await server.register_namespace("urn:bulkhead:interop:own-client")
    node = await server.nodes.objects.add_variable(ua.NodeId("Value", index), f"{index}:Value", 0.0, ua.VariantType.Double)
    await node.set_writable()
    async with server:
        print(json.dumps({"event": "ready", "nodeId": f"ns={index};s=Value"}), flush=True)
        await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
