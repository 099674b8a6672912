import { Stage } from '@bulkhead/resource-isolation';
import { RawUacpPeer } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  AdditionalParametersType,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  NodeId,
  ReadRequest,
  RequestHeader,
  ServiceFault,
  StatusCodes,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { RawSession, readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** Of the smallest queue: what everybody shares when each class of caller keeps one of each. */
const SHARED_SLOTS = 2;
const SHARED_QUEUE = 6;
const RESERVES = 3;

/** A server whose node `Held` answers when the test says so. */
async function startBusyServer(
  mode: 'Balanced' | 'SharedOnly' = 'Balanced',
): Promise<{ test: TestServer; release: () => void; order: string[] }> {
  let release = (): void => undefined;
  const order: string[] = [];
  const held = new Promise<number>((resolve) => {
    release = () => resolve(1);
  });
  const test = await startTestServer(
    (space) => {
      space.addVariable({ browseName: 'Held', nodeId: 's=Held', dataType: 'Double', read: () => held });
      for (const name of ['a', 'b']) {
        space.addVariable({
          browseName: name,
          nodeId: `s=${name}`,
          dataType: 'Double',
          read: () => {
            order.push(name);
            return 1;
          },
        });
      }
    },
    {
      resourceIsolation:
        mode === 'SharedOnly'
          ? { mode }
          : {
              mode,
              stages: [
                { stage: 'RequestExecution', capacity: SHARED_SLOTS + RESERVES },
                { stage: 'RequestQueue', capacity: SHARED_QUEUE + RESERVES },
              ],
            },
    },
  );
  return { test, release, order };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a server whose ordinary capacity is used up', () => {
  it('RI-35 BX-05 refuses ordinary requests with the reason and serves the CloseSession of the same owner', async () => {
    const { test, release } = await startBusyServer();
    // Both have the same address, and so the same owner.
    const [session, leaving] = [await RawSession.open({ port: test.port }), await RawSession.open({ port: test.port })];
    const provider = test.server.resourceIsolation;
    for (let i = 0; i < SHARED_SLOTS; i++) session.send(ReadRequest, readOf(['ns=1;s=Held']));
    await until(() => provider.getUsage(Stage.RequestExecution) === SHARED_SLOTS);
    for (let i = 0; i < SHARED_QUEUE; i++) session.send(ReadRequest, readOf(['ns=1;s=Held']));
    const refused = (await session.peer.response(session.send(ReadRequest, readOf(['ns=1;s=Held'])))).decode(ServiceFault);
    expect(refused.responseHeader.serviceResult).toBe(StatusCodes.BadServerTooBusy);
    const { parameters } = refused.responseHeader.additionalHeader.decode(AdditionalParametersType);
    expect(Object.fromEntries((parameters ?? []).map(({ key, value }) => [key.name, value.value]))).toEqual({
      RetryAfterMs: 1000n,
      Stage: 'RequestQueue',
      Reason: 'Capacity',
      Usage: BigInt(SHARED_QUEUE),
      Limit: BigInt(SHARED_QUEUE),
      RefusalId: BigInt(test.server.isolation.refusals().findLast(({ stage }) => stage === 'RequestQueue')?.id ?? 0),
    });
    await leaving.close();
    expect(test.server.counts.sessions).toBe(1);
    expect(provider.getUsage(Stage.RequestExecution)).toBe(SHARED_SLOTS);
    release();
    await session.close();
    await test.end();
  });

  it('RI-34 lets a Session come back over another channel, and no unknown one', async () => {
    const { test, release } = await startBusyServer();
    const provider = test.server.resourceIsolation;
    const [busy, away] = [await RawSession.open({ port: test.port }), await RawSession.open({ port: test.port })];
    for (let i = 0; i < SHARED_SLOTS; i++) busy.send(ReadRequest, readOf(['ns=1;s=Held']));
    await until(() => provider.getUsage(Stage.RequestExecution) === SHARED_SLOTS);
    for (let i = 0; i < SHARED_QUEUE; i++) busy.send(ReadRequest, readOf(['ns=1;s=Held']));
    await until(() => provider.getUsage(Stage.RequestQueue) === SHARED_QUEUE);
    const peer = await RawUacpPeer.connect({ port: test.port });
    await peer.hello();
    await peer.openNone();
    const guessed = { ...away.header(), authenticationToken: NodeId.opaque(0, Buffer.alloc(32, 1)) };
    const unknown = (await peer.response(peer.sendRequest(ActivateSessionRequest, { requestHeader: guessed }))).decode(ServiceFault);
    expect(unknown.responseHeader.serviceResult).toBe(StatusCodes.BadServerTooBusy);
    const back = await peer.response(peer.sendRequest(ActivateSessionRequest, { requestHeader: away.header() }));
    expect(back.decode(ActivateSessionResponse).responseHeader.serviceResult).toBe(StatusCodes.Good);
    release();
    await busy.close();
    await peer.request(CloseSessionRequest, { requestHeader: away.header(), deleteSubscriptions: true }, CloseSessionResponse);
    await peer.closeChannel();
    await away.peer.closeChannel();
    await test.end();
  });
});

describe('the order of requests', () => {
  it.each([
    ['SharedOnly', ['a', 'a', 'a', 'a', 'b']],
    ['Balanced', ['a', 'b', 'a', 'a', 'a']],
  ] as const)('RI-02 RI-09 %s starts the requests of two Sessions in this order: %j', async (mode, expected) => {
    const { test, order } = await startBusyServer(mode);
    const session = await RawSession.open({ port: test.port });
    const { peer } = session;
    const created = await peer.request(CreateSessionRequest, { sessionName: 'b' }, CreateSessionResponse);
    const header = () => RequestHeader.create({ authenticationToken: created.authenticationToken });
    await peer.request(ActivateSessionRequest, { requestHeader: header() }, ActivateSessionResponse);
    const readA = readOf(['ns=1;s=a']);
    peer.send(
      ...Array.from({ length: 4 }, () => peer.channel.request(ReadRequest, { ...readA, requestHeader: session.header() })),
      peer.channel.request(ReadRequest, { ...readOf(['ns=1;s=b']), requestHeader: header() }),
    );
    await until(() => order.length === expected.length);
    expect(order).toEqual(expected);
    await peer.request(CloseSessionRequest, { requestHeader: header(), deleteSubscriptions: true }, CloseSessionResponse);
    await session.close();
    await test.end();
  });
});
