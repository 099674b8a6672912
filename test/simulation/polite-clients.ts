import { ReadRequest, StatusCodes } from '@bulkhead/types';
import { readOf } from './requests.ts';
import type { SimulatedClient } from './simulated-client.ts';
import { counterName } from './simulated-nodes.ts';

/** One small Read at a time, whatever the others do; when the faults are over it has to be served. */
export async function witness(client: SimulatedClient): Promise<void> {
  const { world } = client;
  while (await client.turn()) await readOnce(client);
  while (!world.isStopping) {
    if (await readOnce(client)) {
      world.tally.add('witness served');
      break;
    }
    await client.retryLater();
  }
  await client.leave();
}

async function readOnce(client: SimulatedClient): Promise<boolean> {
  const { world } = client;
  if (!client.isConnected) {
    const isOpen = client.connect();
    world.server.fairness.addPolitePort(client.connection?.link.port ?? 0);
    if (!(await isOpen)) return false;
  }
  if (!(await client.ensureSession())) return false;
  const response = await client.request(ReadRequest, readOf([counterName(client.random.nextInt(6))]));
  return response?.header.serviceResult === StatusCodes.Good;
}

/** Loses its connection again and again and comes back with its Session, sometimes before the old connection is gone. */
export async function reconnector(client: SimulatedClient): Promise<void> {
  const { random } = client;
  while (await client.turn()) {
    if (!(await client.ensureSession())) continue;
    const answers = Array.from({ length: 1 + random.nextInt(4) }, () => client.request(ReadRequest, readOf(['Slow', 'Costly'])));
    const old = client.connection;
    switch (random.nextInt(4)) {
      case 0:
        await Promise.all(answers);
        break;
      case 1:
        old?.link.cut();
        break;
      case 2:
        old?.close();
        break;
      default:
        if ((await client.connect()) && (await client.activate())) old?.close();
        else old?.link.cut();
    }
  }
  await client.leave();
}
