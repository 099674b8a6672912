import { BandwidthThrottle } from '@bulkhead/limits';
import { createManualRuntime } from '@bulkhead/testkit';
import { StatusCodes } from '@bulkhead/types';
import { encodeErrorMessage, readMessageType } from '@bulkhead/uacp';
import { describe, expect, it } from 'vitest';
import { ClientApplication, ClientConnection, ManagedSession, type ManagedSessionEvent, ReconnectPolicy } from '../src/index.ts';
import { FakeTransport } from './fake-transport.ts';

const endpointUrl = 'opc.tcp://server:4840';
const busy = encodeErrorMessage({ error: StatusCodes.BadTcpServerTooBusy, reason: 'Connection: 9 of 9; RetryAfterMs=7000' });

/** Lets promises run without time going on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

describe('ClientConnection', () => {
  it('CL-02 tells when a server that refuses with an ERR asked to be tried again', async () => {
    const transport = new FakeTransport(({ events }) => events.onBytes(Buffer.from(busy)));
    const opening = ClientConnection.open({ endpointUrl, connector: () => Promise.resolve(transport) });
    await expect(opening).rejects.toMatchObject({ statusCode: StatusCodes.BadTcpServerTooBusy, retryAfterMs: 7000 });
    expect(readMessageType(transport.written[0] as Buffer)).toBe('HEL');
    expect(transport.isClosed).toBe(true);
  });

  it('gives up when the server says nothing, or something else, and closes the transport', async () => {
    const runtime = createManualRuntime();
    const silent = new FakeTransport();
    const opening = ClientConnection.open({ endpointUrl, runtime, connector: () => Promise.resolve(silent), connectTimeoutMs: 1000 });
    const outcome = expect(opening).rejects.toMatchObject({ statusCode: StatusCodes.BadTimeout });
    await settle();
    runtime.clock.advance(1000);
    await outcome;
    expect([silent.isClosed, runtime.clock.pendingTimers]).toEqual([true, 0]);
    const babbling = new FakeTransport(({ events }) => events.onBytes(Buffer.from('HTTP/1.1 400 Bad Request')));
    await expect(ClientConnection.open({ endpointUrl, runtime, connector: () => Promise.resolve(babbling) })).rejects.toMatchObject({
      statusCode: StatusCodes.BadTcpMessageTypeInvalid,
    });
    expect([babbling.isClosed, runtime.clock.pendingTimers]).toEqual([true, 0]);
  });
});

describe('a throttled connection', () => {
  it('LM-07 paces the first byte already, and gives its budget to each connection', async () => {
    const runtime = createManualRuntime();
    const transport = new FakeTransport();
    const throttle = new BandwidthThrottle({ mode: 'PerConn', write: { bytesPerSecond: 10, burstBytes: 10 } });
    const opening = ClientConnection.open({ endpointUrl, runtime, throttle, connector: () => Promise.resolve(transport) });
    const outcome = expect(opening).rejects.toMatchObject({ statusCode: StatusCodes.BadConnectionClosed });
    await settle();
    expect(transport.writtenBytes).toBe(10);
    runtime.clock.advance(2000);
    expect(transport.writtenBytes).toBe(30);
    transport.destroy();
    await outcome;
    expect(runtime.clock.pendingTimers).toBe(0);
  });
});

describe('a managed session that does not get in', () => {
  it('CL-02 CL-03 waits as long as the ERR asks at a first connect too, and closes without leaving a timer', async () => {
    const runtime = createManualRuntime();
    const events: ManagedSessionEvent[] = [];
    let attempts = 0;
    const connecting = ManagedSession.connect({
      application: new ClientApplication({ applicationName: 'Test', runtime }),
      endpointUrl,
      connector: () => {
        attempts++;
        return Promise.resolve(new FakeTransport((transport) => transport.events.onBytes(Buffer.from(busy))));
      },
      reconnectPolicy: new ReconnectPolicy({ initialDelayMs: 100, maxDelayMs: 1000, jitter: 0, maxRetries: 3 }),
      onEvent: (event) => events.push(event),
    });
    const outcome = expect(connecting).rejects.toMatchObject({ statusCode: StatusCodes.BadTcpServerTooBusy });
    await settle();
    expect(attempts).toBe(1);
    runtime.clock.advance(6999);
    await settle();
    expect(attempts).toBe(1);
    for (let retry = 2; retry <= 4; retry++) {
      runtime.clock.advance(retry === 2 ? 1 : 7000);
      await settle();
      expect(attempts).toBe(retry);
    }
    await outcome;
    expect(events.map((event) => (event.kind === 'attemptFailed' ? event.waitMs : event.kind))).toEqual([
      7000,
      7000,
      7000,
      undefined,
      'state',
    ]);
    expect(runtime.clock.pendingTimers).toBe(0);
  });

  it('ends with the reason of the signal when the user gives up, whatever it is waiting for', async () => {
    const runtime = createManualRuntime();
    const abort = new AbortController();
    const connecting = ManagedSession.connect(
      {
        application: new ClientApplication({ applicationName: 'Test', runtime }),
        endpointUrl,
        connector: () => Promise.resolve(new FakeTransport((transport) => transport.events.onBytes(Buffer.from(busy)))),
      },
      abort.signal,
    );
    const outcome = expect(connecting).rejects.toMatchObject({ statusCode: StatusCodes.BadRequestCancelledByClient });
    await settle();
    expect(runtime.clock.pendingTimers).toBe(1);
    abort.abort();
    await outcome;
    expect(runtime.clock.pendingTimers).toBe(0);
  });
});
