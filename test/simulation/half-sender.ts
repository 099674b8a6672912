import { encodeMessage } from '@bulkhead/testkit';
import { ReadRequest } from '@bulkhead/types';
import type { ClientConnection } from './client-connection.ts';
import { readOf } from './requests.ts';
import type { SimulatedClient } from './simulated-client.ts';

const MOST_BODY_BYTES = 8192 - 24;
const BYTES_PER_NODE = 30;
const MOST_NODES = 2000;

/** A message of which not all chunks were sent. */
interface HalfSent {
  readonly requestId: number;
  readonly handle: number;
  readonly rest: Buffer;
}

/** Sends the first chunks of a message; then the others, an abort, nothing, or cuts the connection. */
export async function halfSender(client: SimulatedClient): Promise<void> {
  const { random } = client;
  let half: HalfSent | undefined;
  let sentOn: ClientConnection | undefined;
  while (await client.turn()) {
    const hasSession = client.isConnected || (random.nextBoolean() ? await client.ensureSession() : await client.connect());
    const { connection } = client;
    if (!hasSession || connection === undefined) continue;
    if (half === undefined || sentOn !== connection) {
      half = begin(client, connection);
      sentOn = connection;
      continue;
    }
    const choice = random.nextInt(10);
    if (choice < 3) half = more(client, connection, half);
    else if (choice < 6) half = finish(connection, half);
    else if (choice < 8) half = abort(connection, half);
    else if (choice === 8) connection.link.cut();
  }
  await client.leave();
}

function begin(client: SimulatedClient, connection: ClientConnection): HalfSent {
  const { maxMessageSize } = client.world.options;
  const nodeCount = 1 + client.random.nextInt(Math.min(MOST_NODES, Math.floor(maxMessageSize / BYTES_PER_NODE)));
  const requestHeader = connection.header(client.session === undefined ? {} : { token: client.session.token });
  const nodes = readOf(Array.from({ length: nodeCount }, () => 'Counter0'));
  const message = encodeMessage(ReadRequest, ReadRequest.create({ ...nodes, requestHeader }));
  const requestId = connection.channel.nextRequestId++;
  let half: HalfSent = { requestId, handle: requestHeader.requestHandle, rest: message };
  for (let chunks = 1 + client.random.nextInt(4); chunks > 0; chunks--) half = more(client, connection, half);
  return half;
}

/** One more chunk, but never the last bytes. */
function more({ random }: SimulatedClient, connection: ClientConnection, { requestId, handle, rest }: HalfSent): HalfSent {
  const size = Math.min(1 + random.nextInt(MOST_BODY_BYTES), rest.length - 1);
  if (size < 1) return { requestId, handle, rest };
  connection.write(connection.channel.chunk('MSG', 'C', requestId, rest.subarray(0, size)));
  return { requestId, handle, rest: rest.subarray(size) };
}

function finish(connection: ClientConnection, { requestId, handle, rest }: HalfSent): undefined {
  void connection.expect(requestId, handle, 'ReadRequest');
  let left = rest;
  while (left.length > MOST_BODY_BYTES) {
    connection.write(connection.channel.chunk('MSG', 'C', requestId, left.subarray(0, MOST_BODY_BYTES)));
    left = left.subarray(MOST_BODY_BYTES);
  }
  connection.write(connection.channel.chunk('MSG', 'F', requestId, left));
}

function abort(connection: ClientConnection, { requestId }: HalfSent): undefined {
  const noReason = Buffer.alloc(8, 0xff);
  connection.write(connection.channel.chunk('MSG', 'A', requestId, noReason));
}
