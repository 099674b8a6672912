import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  type CallMethodResultOptions,
  DataType,
  type MethodFunctor,
  OPCUACertificateManager,
  OPCUAServer,
  StatusCodes,
  type UAVariable,
} from 'node-opcua';
import { SLOW_MS, VARIABLES } from './abuses/abuse.ts';
import { burn } from './isolation-nodes.ts';
import { answerCommands } from './server-report.ts';

/** A node-opcua server with the nodes that the abuses use, as many connections and Sessions as a Bulkhead server has by default. */
const HOST = '127.0.0.1';
const SESSIONS = 100;
const CONNECTIONS = 200;
const DONE: CallMethodResultOptions = { statusCode: StatusCodes.Good, outputArguments: [] };
const { values } = parseArgs({ options: { pki: { type: 'string' } } });
if (values.pki === undefined) throw new Error('--pki DIR is missing');
await main(values.pki);

async function main(pki: string): Promise<void> {
  const serverCertificateManager = new OPCUACertificateManager({ rootFolder: pki, automaticallyAcceptUnknownCertificate: true });
  await serverCertificateManager.initialize();
  const port = await freePort();
  const server = new OPCUAServer({
    host: HOST,
    hostname: HOST,
    port,
    serverCertificateManager,
    maxConnectionsPerEndpoint: CONNECTIONS,
    serverCapabilities: { maxSessions: SESSIONS },
  });
  await server.initialize();
  const variables = addNodes(server);
  await server.start();
  let round = 0;
  const change = (): void => {
    round++;
    for (const [index, variable] of variables.entries()) variable.setValueFromSource({ dataType: DataType.Double, value: index + round });
  };
  answerCommands(() => ({ connections: server.currentChannelCount }), change);
  process.send?.({ url: `opc.tcp://${HOST}:${port}` });
}

function addNodes(server: OPCUAServer): UAVariable[] {
  const { addressSpace } = server.engine;
  if (!addressSpace) throw new Error('no address space');
  const namespace = addressSpace.getOwnNamespace();
  const folder = namespace.addObject({ organizedBy: addressSpace.rootFolder.objects, browseName: 'Bench', nodeId: 's=Bench' });
  const add = (browseName: string, call: () => Promise<void>): void => {
    const method = namespace.addMethod(folder, { browseName, nodeId: `s=Bench.${browseName}`, inputArguments: [], outputArguments: [] });
    method.bindMethod(promisedMethod(call));
  };
  add('Slow', () => sleep(SLOW_MS));
  add('Waiting', () => sleep(SLOW_MS));
  add('Burning', async () => burn());
  return Array.from({ length: VARIABLES }, (_, index) =>
    namespace.addVariable({
      componentOf: folder,
      browseName: `Double.${index}`,
      nodeId: `s=Bench.Double.${index}`,
      dataType: DataType.Double,
      minimumSamplingInterval: 10,
      value: { dataType: DataType.Double, value: index },
    }),
  );
}

/** Tells of the end of a call in the way of node-opcua. */
function promisedMethod(call: () => Promise<void>): MethodFunctor {
  return (_inputs, _context, callback) => {
    void call().finally(() => setImmediate(callback, null, DONE));
  };
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
