import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { BakedReads } from './baked-reads.ts';
import { FloorConnection } from './floor-connection.ts';
import { printReady } from './ready-line.ts';

/**
 * Not an OPC UA server: what a Node.js process can do at most. It frames the requests of one kind of client and answers each Read
 * with a response that was encoded beforehand.
 */
const HOST = '127.0.0.1';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const baked = new BakedReads();
const server = createServer({ noDelay: true }, (socket) => {
  new FloorConnection(socket, baked);
});
server.listen(Number(values.port), HOST, () => {
  const address = server.address();
  if (typeof address === 'object' && address) printReady(`opc.tcp://${HOST}:${address.port}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
