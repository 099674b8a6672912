import { parseArgs } from 'node:util';
import { addOpcUa } from '@bulkhead/opcua';
import { Stage, stageNames } from '@bulkhead/resource-isolation';
import { addIsolationNodes, isolationParking } from './isolation-nodes.ts';
import { answerCommands } from './server-report.ts';

/** A Bulkhead server with its defaults; beside them SecurityPolicy None is offered, every certificate trusted, and one method parks. */
const { values } = parseArgs({ options: { pki: { type: 'string' } } });
if (values.pki === undefined) throw new Error('--pki DIR is missing');
let change = (): void => undefined;
const server = await addOpcUa()
  .addServer({
    applicationName: 'Isolation',
    port: 0,
    pki: { folder: values.pki, autoAcceptUntrustedCertificates: true },
    webSocket: {},
    https: {},
    webPort: { port: 0 },
    requestParking: isolationParking,
    security: { policies: ['None', 'Basic256Sha256'] },
  })
  .addNodes((space) => {
    change = addIsolationNodes(space);
  })
  .start();
const { resourceIsolation: provider } = server;
answerCommands(
  () => ({
    connections: server.counts.connections,
    ...Object.fromEntries(stageNames.map((name) => [name, provider.getUsage(Stage[name])])),
  }),
  change,
);
process.send?.({ url: server.endpointUrls[0], webUrls: server.endpointUrls.slice(1) });
