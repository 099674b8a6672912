import { ConcurrencyConnectGate, type ManagedSession, ManagedSessionBuilder, ReconnectPolicy } from '@bulkhead/client';
import { SecurityPolicies } from '@bulkhead/security';
import { StatusCodes } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestClient, introduce, type TestClient, urlOf } from './support.ts';

const SESSIONS = 200;

/** Counts who is inside. */
class WatchedGate extends ConcurrencyConnectGate {
  most = 0;

  override async enter(signal: AbortSignal): Promise<Disposable> {
    const pass = await super.enter(signal);
    this.most = Math.max(this.most, this.active);
    return pass;
  }
}

describe('many managed sessions', () => {
  let test: TestServer;
  let client: TestClient;

  beforeAll(async () => {
    test = await startTestServer(() => undefined, { maxSessionCount: SESSIONS });
    client = createTestClient();
  });

  afterAll(async () => {
    await client.end();
    await test.end();
  });

  it('CL-04 connect through a shared gate, come back after a cut, and leave nothing behind', async () => {
    const proxy = await CuttableProxy.start(test.port);
    const gate = new WatchedGate(8);
    const builder = new ManagedSessionBuilder(client.application)
      .withSecurity({ mode: 'None' })
      .withReconnectPolicy(new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 400 }))
      .withConnectRateLimiter(gate);
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => builder.connect(proxy.endpointUrl)));
    expect(test.server.counts.sessions).toBe(SESSIONS);
    proxy.cut();
    proxy.mend();
    await Promise.all(sessions.map(reads));
    expect(test.server.counts.sessions).toBe(SESSIONS);
    expect(gate.most).toBe(8);
    await Promise.all(sessions.map((session) => session.close()));
    await proxy.close();
  });
});

describe('managed sessions that connect in the same moment', () => {
  it('share one discovery, so that a server which lets one connection for each in turns none away', async () => {
    const count = 20;
    // One more for the discovery; two are kept for protected callers.
    const rateLimits = { connectionBurst: count + 1 + 2, connectionsPerSecond: 3 };
    const test = await startTestServer(() => undefined, { rateLimits });
    const client = createTestClient();
    await introduce(client, test);
    const failures: string[] = [];
    const builder = new ManagedSessionBuilder(client.application)
      .withSecurity({ policy: 'Basic256Sha256', mode: 'SignAndEncrypt' })
      .onEvent((event) => {
        if (event.kind === 'attemptFailed') failures.push(event.error.message);
      });
    const sessions = await Promise.all(Array.from({ length: count }, () => builder.connect(urlOf(test))));
    expect(failures).toEqual([]);
    await Promise.all(sessions.map((session) => session.close()));
    await client.end();
    await test.end();
  });

  it('wait for the key they share, however many they are', async () => {
    const client = createTestClient();
    const { privateKey } = await client.application.certificateStore();
    const signatures = Array.from({ length: 200 }, () => privateKey.sign(SecurityPolicies.Basic256Sha256, Buffer.alloc(32)));
    expect((await Promise.all(signatures)).every(({ length }) => length === 256)).toBe(true);
    await client.end();
  });

  it('give up one by one without harm to the others that wait for the same answer', async () => {
    const test = await startTestServer();
    const client = createTestClient();
    const builder = new ManagedSessionBuilder(client.application).withSecurity({ mode: 'None' });
    const abort = new AbortController();
    const [first, other] = [builder.connect(urlOf(test), abort.signal), builder.connect(urlOf(test))];
    abort.abort();
    await expect(first).rejects.toMatchObject({ statusCode: StatusCodes.BadRequestCancelledByClient });
    await (await other).close();
    await client.end();
    await test.end();
  });
});

describe('a server that is too busy', () => {
  it('CL-02 RL-08 is left alone by every session for as long as it asked, until all are in', async () => {
    const test = await startTestServer(() => undefined, {
      rateLimits: { maxConcurrentSessionEstablishment: 3 },
      security: { policies: ['None'], validateUser: () => new Promise((resolve) => setImmediate(resolve, true)) },
    });
    const client = createTestClient();
    await introduce(client, test);
    const waits: (number | undefined)[] = [];
    const builder = new ManagedSessionBuilder(client.application)
      .withSecurity({ mode: 'None' })
      .withUser({ kind: 'userName', userName: 'joe', password: 'secret' })
      .withReconnectPolicy(new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 400 }))
      .onEvent((event) => {
        if (event.kind === 'attemptFailed' && event.failure.statusCode === StatusCodes.BadServerTooBusy) waits.push(event.waitMs);
      });
    const sessions = await Promise.all(Array.from({ length: 12 }, () => builder.connect(urlOf(test))));
    await Promise.all(sessions.map(reads));
    await Promise.all(sessions.map((session) => session.close()));
    expect(waits.length).toBeGreaterThan(0);
    // The server's hint is a second; the policy alone would wait 80 to 400 ms.
    for (const waitMs of waits) expect(waitMs).toBeGreaterThanOrEqual(1000);
    await client.end();
    await test.end();
  });
});

/** A read that was on its way when the connection was cut fails; the next one waits for the new connection. */
async function reads(session: ManagedSession): Promise<void> {
  const read = (): Promise<unknown> => session.readValue('i=2259');
  await read().catch(read);
}
