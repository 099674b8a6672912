import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addOpcUa, MiB } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { AttributeIds, MessageSecurityMode, OPCUAClient, SecurityPolicy } from 'node-opcua';
import { expect, it } from 'vitest';

/** Stands for where values come from. */
const plc = { read: async (name: string, signal: AbortSignal): Promise<number> => (signal.aborted ? 0 : name.length) };

it('the server of the README serves a client that nobody here wrote', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bulkhead-test-'));
  const pki = { folder, autoAcceptUntrustedCertificates: true };
  const server = await addOpcUa()
    .addServer({ applicationName: 'MyServer', maxMessageSize: 4 * MiB, maxSessionCount: 100, maxChannelCount: 200, port: 0, pki })
    .withChunkReassemblyBudget(64 * MiB)
    .configureResourceIsolation({
      mode: 'Balanced',
      stages: [
        { stage: 'RequestExecution', ownerHardLimit: 8 },
        { stage: 'Connection', ownerHardLimit: 16 },
      ],
    })
    .addNodes((space) => {
      const boiler = space.addObject({ browseName: 'Boiler' });
      boiler.addVariable({ browseName: 'Temperature', nodeId: 's=Temperature', dataType: 'Double', value: 21.5 });
      boiler.addVariable({
        browseName: 'Pressure',
        nodeId: 's=Pressure',
        dataType: 'Double',
        read: async ({ signal }) => plc.read('P1', signal),
      });
      boiler.addMethod({ browseName: 'Reset', call: async () => [] });
    })
    .start();
  const client = OPCUAClient.create({
    endpointMustExist: false,
    connectionStrategy: { maxRetry: 0 },
    securityMode: MessageSecurityMode.SignAndEncrypt,
    securityPolicy: SecurityPolicy.Basic256Sha256,
  });
  await client.connect(server.endpointUrls[0] ?? '');
  const session = await client.createSession();
  const read = async (nodeId: string): Promise<unknown> => (await session.read({ nodeId, attributeId: AttributeIds.Value })).value.value;
  expect(await read('ns=1;s=Temperature')).toBe(21.5);
  expect(await read('ns=1;s=Pressure')).toBe(2);
  await session.close();
  await client.disconnect();
  await server.stop();
  await server.stop();
  expect(server.resourceIsolation.getUsage(Stage.Connection)).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});
