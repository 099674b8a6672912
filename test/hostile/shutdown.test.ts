import type { RawUacpPeer } from '@bulkhead/testkit';
import { chunkTypeOf, trackLeaks } from '@bulkhead/testkit';
import {
  CallMethodRequest,
  CallRequest,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  NodeId,
  PublishRequest,
  ReadRequest,
} from '@bulkhead/types';
import { expect, it } from 'vitest';
import { RawSession, readOf } from '../support/raw-session.ts';
import { ResponseScan } from '../support/response-scan.ts';
import { startTestServer, type TestServer, usageOf } from '../support/test-server.ts';
import { until } from './bystander.ts';
import { statusName } from './status-names.ts';

const CLIENTS = 20;
const STOPPED_WITHIN_MS = 3000;

/** Calls of the slow method that run. */
let slowCalls = 0;

async function startServer(): Promise<TestServer> {
  return startTestServer((space) => {
    for (let i = 0; i < 200; i++) space.addVariable({ browseName: `V${i}`, nodeId: `s=V${i}`, dataType: 'Double', value: i });
    const object = space.addObject({ browseName: 'Object', nodeId: 's=Object' });
    object.addMethod({
      browseName: 'Slow',
      nodeId: 's=Slow',
      // Ends when it is told to, and not before.
      call: (_inputs, { signal }) =>
        new Promise((_resolve, reject) => {
          slowCalls++;
          signal.addEventListener('abort', () => {
            slowCalls--;
            reject(signal.reason as Error);
          });
        }),
    });
  });
}

interface Client {
  readonly session: RawSession;
  /** RequestIds of its parked Publish requests. */
  readonly publishIds: readonly number[];
}

/** A client with parked Publish requests and a slow call. */
async function startClient(port: number): Promise<Client> {
  const session = await RawSession.open({ port });
  await session.request(CreateSubscriptionRequest, { requestedPublishingInterval: 60_000 }, CreateSubscriptionResponse);
  const publishIds = [1, 2, 3].map(() => session.send(PublishRequest, {}));
  const methodsToCall = [CallMethodRequest.create({ objectId: NodeId.parse('ns=1;s=Object'), methodId: NodeId.parse('ns=1;s=Slow') })];
  session.send(CallRequest, { methodsToCall });
  return { session, publishIds };
}

/** Pipelines Reads on and on. @returns how to stop that. */
function readOn({ session }: Client): () => void {
  const large = readOf(Array.from({ length: 200 }, (_, i) => `ns=1;s=V${i}`));
  let isReading = true;
  const send = (): void => {
    if (!isReading || session.peer.isClosed) return;
    for (let i = 0; i < 5; i++) session.send(ReadRequest, large);
    setImmediate(send);
  };
  send();
  return () => {
    isReading = false;
  };
}

/** What came until the end: the result of each request, and the code of the ERR that is the end. */
interface LastWords {
  readonly results: ReadonlyMap<number, string>;
  readonly errors: readonly string[];
}

async function lastWords(peer: RawUacpPeer): Promise<LastWords> {
  const results = new Map<number, string>();
  const errors: string[] = [];
  try {
    for (;;) {
      const chunk = await peer.nextChunk();
      if (chunkTypeOf(chunk) === 'ERR') errors.push(statusName(chunk.readUInt32LE(8)));
      else {
        const response = peer.channel.receive(chunk);
        if (response !== undefined) results.set(response.requestId, statusName(response.header.serviceResult));
      }
    }
  } catch {
    return { results, errors };
  }
}

it('a server under load stops in time, answers what waits, leaves nothing, and stops once', async () => {
  const expectNoLeaks = trackLeaks();
  const scan = new ResponseScan();
  const test = await startServer();
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => startClient(test.port)));
  await until(() => slowCalls === CLIENTS && usageOf(test.server)['parkedRequests'] === 3 * CLIENTS);
  const stopReading = clients.map(readOn);
  await new Promise((resolve) => setImmediate(resolve));

  const words = clients.map(({ session }) => lastWords(session.peer));
  const startMs = performance.now();
  const stopped = test.server.stop();
  expect(test.server.stop()).toBe(stopped);
  await stopped;
  expect(performance.now() - startMs).toBeLessThan(STOPPED_WITHIN_MS);
  for (const stop of stopReading) stop();
  for (const [i, { results, errors }] of (await Promise.all(words)).entries()) {
    expect(clients[i]?.publishIds.map((id) => results.get(id))).toEqual(['BadServerHalted', 'BadServerHalted', 'BadServerHalted']);
    expect(errors).toEqual(['BadServerHalted']);
  }
  await Promise.all(clients.map(({ session }) => session.peer.destroy()));
  expect(slowCalls).toBe(0);
  for (const [name, used] of Object.entries(usageOf(test.server))) expect([name, used]).toEqual([name, 0]);
  expect(test.server.counts.timers).toBe(0);
  await test.end();
  await expectNoLeaks();
  scan[Symbol.dispose]();
});

it('nobody gets in any more while a server stops', async () => {
  const test = await startServer();
  const stopped = test.server.stop();
  await expect(RawSession.open({ port: test.port })).rejects.toThrow();
  await stopped;
  await expect(RawSession.open({ port: test.port })).rejects.toThrow('ECONNREFUSED');
  await test.end();
});
