import { AttributeIds, ClientSubscription, DataType, type DataValue, TimestampsToReturn } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { encrypted, ForeignClients, putCertificate } from '../support/foreign-clients.ts';
import { nextEvent, variable } from '../support/publishing.ts';
import { type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';

const DURATION_MS = 30_000;
/** The library renews after three quarters of it. */
const TOKEN_LIFETIME_MS = 2667;
const PARALLEL = 4;
const { Value } = AttributeIds;
let server: ReferenceTestServer;
let clients: ForeignClients;

beforeAll(async () => {
  server = await startReferenceTestServer();
  clients = await ForeignClients.create();
  putCertificate(clients.certificate, trustedFolder(server));
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

describe('a foreign client that renews its token every two seconds for 30 s', () => {
  it('gets every answer and every value on one channel', async () => {
    const client = await clients.connect(server.endpointUrl, { ...encrypted, defaultSecureTokenLifetime: TOKEN_LIFETIME_MS });
    let renewals = 0;
    let breaks = 0;
    client.on('security_token_renewed', () => void renewals++);
    client.on('start_reconnection', () => void breaks++);
    client.on('connection_lost', () => void breaks++);
    const session = await client.createSession();
    const subscription = ClientSubscription.create(session, { requestedPublishingInterval: 50, publishingEnabled: true });
    await nextEvent(subscription, 'started');
    const item = { nodeId: 'ns=2;s=Bench.Writable', attributeId: Value };
    const group = await subscription.monitorItems([item], { samplingInterval: 0, queueSize: 1000 }, TimestampsToReturn.Both);
    const seen: number[] = [];
    group.on('changed', (_item, { value }: DataValue) => void seen.push(value.value));
    let last = 0;
    const changing = setInterval(() => variable(server.server, item.nodeId).setValue(++last), 20);
    const endMs = performance.now() + DURATION_MS;
    const work = async (worker: number): Promise<number> => {
      const nodeId = `ns=2;s=Scalar.Static.${['Int32', 'UInt32', 'Double', 'Int16'][worker]}`;
      const dataType = [DataType.Int32, DataType.UInt32, DataType.Double, DataType.Int16][worker] as DataType;
      let rounds = 0;
      while (performance.now() < endMs) {
        const value = rounds++ % 30_000;
        expect((await session.write({ nodeId, attributeId: Value, value: { value: { dataType, value } } })).name).toBe('Good');
        expect((await session.read({ nodeId, attributeId: Value })).value.value).toBe(value);
        // One long message of many chunks among the short ones.
        if (rounds % 50 === 0)
          expect((await session.read({ nodeId: 'ns=2;s=Special.ByteString.Long', attributeId: Value })).value.value).toHaveLength(300_000);
      }
      return rounds;
    };
    const rounds = await Promise.all(Array.from({ length: PARALLEL }, (_, worker) => work(worker)));
    clearInterval(changing);
    await vi.waitFor(() => expect(seen.at(-1)).toBe(last), { timeout: 5000 });
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => (seen[0] ?? 0) + i));
    for (const count of rounds) expect(count).toBeGreaterThan(100);
    expect(renewals).toBeGreaterThanOrEqual(13);
    expect(breaks).toBe(0);
    expect(server.server.counts.openChannels).toBe(1);
    await subscription.terminate();
  });
});
