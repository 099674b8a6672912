import { ConcurrencyConnectGate, type ManagedSession, ManagedSessionBuilder, ReconnectPolicy } from '@bulkhead/client';
import { StatusCodes } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestClient, type TestClient, urlOf } from './support.ts';

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
    test = await startTestServer(() => undefined, { maxSessionCount: SESSIONS, maxConcurrentSessionEstablishment: 4 });
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

  it('CL-01 RL-08 come in without a gate too, by heeding a server that is too busy', async () => {
    const failures: (number | undefined)[] = [];
    const builder = new ManagedSessionBuilder(client.application)
      .withSecurity({ mode: 'None' })
      .withReconnectPolicy(new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 400 }))
      .onEvent((event) => {
        if (event.kind === 'attemptFailed' && event.failure.statusCode === StatusCodes.BadServerTooBusy) failures.push(event.waitMs);
      });
    const sessions = await Promise.all(Array.from({ length: 40 }, () => builder.connect(urlOf(test))));
    await Promise.all(sessions.map(reads));
    await Promise.all(sessions.map((session) => session.close()));
    // The server's hint is a second.
    for (const waitMs of failures) expect(waitMs).toBeGreaterThanOrEqual(1000);
  });
});

/** A read that was on its way when the connection was cut fails; the next one waits for the new connection. */
async function reads(session: ManagedSession): Promise<void> {
  const read = (): Promise<unknown> => session.readValue('i=2259');
  await read().catch(read);
}
