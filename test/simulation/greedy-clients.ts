import { CallRequest, CancelRequest, NodeId, ReadRequest } from '@bulkhead/types';
import type { ClientConnection } from './client-connection.ts';
import { anyCall, anyRead, readOf } from './requests.ts';
import type { SimulatedClient } from './simulated-client.ts';

const MOST_OPEN_REQUESTS = 24;
const MOST_NODES = 60;
const MOST_CONNECTIONS = 3;

/** Many large requests at once, some with a deadline, some cancelled, some for a Session that it has just closed. */
export async function hog(client: SimulatedClient): Promise<void> {
  const { random } = client;
  while (await client.turn()) {
    if (!(await client.ensureSession())) continue;
    const count = 1 + random.nextInt(8);
    for (let i = 0; i < count && (client.connection?.openRequests ?? 0) < MOST_OPEN_REQUESTS; i++) sendAny(client);
    if (random.nextInt(25) === 0) await client.leave();
  }
  await client.leave();
}

function sendAny(client: SimulatedClient): void {
  const { random } = client;
  const timeoutHint = random.nextInt(4) === 0 ? 1 + random.nextInt(60) : 0;
  const kind = random.nextInt(10);
  if (kind < 6) void client.request(ReadRequest, anyRead(random, MOST_NODES), timeoutHint);
  else if (kind < 9) void client.request(CallRequest, anyCall(random), timeoutHint);
  else void client.request(CancelRequest, { requestHandle: client.world.handles.last - random.nextInt(4) });
}

/** Asks for much and doesn't take the answers, for a while or for good. */
export async function slowReader(client: SimulatedClient): Promise<void> {
  const { random } = client;
  while (await client.turn()) {
    if (!(await client.ensureSession())) continue;
    const { connection } = client;
    if (random.nextInt(5) > 0) connection?.stopReading();
    else connection?.readOn();
    const count = random.nextInt(12);
    for (let i = 0; i < count; i++)
      void client.request(ReadRequest, random.nextInt(6) > 0 ? readOf(['Blob']) : anyRead(random, MOST_NODES));
  }
  client.connection?.readOn();
  if (random.nextBoolean()) await client.connection?.answered();
  await client.leave();
}

/** Takes connections, channels and Sessions and does nothing with them. */
export async function opener(client: SimulatedClient): Promise<void> {
  const { random } = client;
  const held: ClientConnection[] = [];
  while (await client.turn()) {
    const oldest = held.length >= MOST_CONNECTIONS ? held.shift() : undefined;
    if (oldest !== undefined) leaveAlone(client, oldest);
    const connection = client.newConnection();
    held.push(connection);
    const depth = random.nextInt(4);
    if (depth === 0) continue;
    client.connection = connection;
    if (!(await connection.open()) || depth === 1) continue;
    const isCreated = await client.createSession();
    // A Session that isn't active is closed by the first request that needs one.
    if (isCreated && depth === 3) void client.request(ReadRequest, readOf(['Counter0']));
    else if (depth === 3) void connection.request(ReadRequest, readOf(['Counter0']), { token: NodeId.numeric(0, 1) });
  }
  for (const connection of held) leaveAlone(client, connection);
}

function leaveAlone(client: SimulatedClient, connection: ClientConnection): void {
  if (client.random.nextBoolean()) connection.close();
  else connection.link.cut();
}
