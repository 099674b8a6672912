import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { DataType, OPCUACertificateManager, OPCUAServer, type UAVariable } from 'node-opcua';
import { printReady } from './ready-line.ts';

/**
 * A node-opcua server with its defaults and the nodes that the benchmarks use: `ns=2;s=Bench.Double.0` … `999` and
 * `ns=2;s=Bench.Writable`.
 */
const VARIABLES = 1000;
const HOST = '127.0.0.1';

const { values } = parseArgs({
  options: { pki: { type: 'string' }, port: { type: 'string', default: '0' }, 'bench-tick': { type: 'string', default: '0' } },
});
if (values.pki === undefined) throw new Error('--pki DIR is missing');
await main(values.pki, Number(values.port) || (await freePort()), Number(values['bench-tick']));

async function main(pki: string, port: number, tickMs: number): Promise<void> {
  const serverCertificateManager = new OPCUACertificateManager({ rootFolder: pki, automaticallyAcceptUnknownCertificate: true });
  await serverCertificateManager.initialize();
  const server = new OPCUAServer({
    host: HOST,
    hostname: HOST,
    port,
    serverCertificateManager,
    maxConnectionsPerEndpoint: 1000,
    serverCapabilities: { maxSessions: 1000 },
  });
  await server.initialize();
  const variables = addVariables(server);
  await server.start();
  if (tickMs > 0) startTicking(variables, tickMs);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
  printReady(`opc.tcp://${HOST}:${port}`);
}

function addVariables(server: OPCUAServer): UAVariable[] {
  const { addressSpace } = server.engine;
  if (!addressSpace) throw new Error('no address space');
  const namespace = addressSpace.registerNamespace('urn:bulkhead:benchmarks:peer');
  if (namespace.index !== 2) throw new Error(`namespace index ${namespace.index} instead of 2`);
  const folder = namespace.addFolder(addressSpace.rootFolder.objects, { browseName: 'Bench' });
  const add = (name: string, value: number): UAVariable =>
    namespace.addVariable({
      organizedBy: folder,
      browseName: name,
      nodeId: `s=Bench.${name}`,
      dataType: DataType.Double,
      minimumSamplingInterval: 10,
      value: { dataType: DataType.Double, value },
    });
  add('Writable', 0);
  return Array.from({ length: VARIABLES }, (_, index) => add(`Double.${index}`, index));
}

function startTicking(variables: readonly UAVariable[], tickMs: number): void {
  let round = 0;
  setInterval(() => {
    round++;
    for (const [index, variable] of variables.entries()) {
      variable.setValueFromSource({ dataType: DataType.Double, value: index + round });
    }
  }, tickMs);
}

/** The server takes port 0 for "none". */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
