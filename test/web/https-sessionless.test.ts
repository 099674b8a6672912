import { Stage } from '@bulkhead/resource-isolation';
import {
  BrowseNextRequest,
  BrowseNextResponse,
  BrowseRequest,
  BrowseResponse,
  CreateSubscriptionRequest,
  NodeId,
  ReadRequest,
  ReadResponse,
  RegisterNodesRequest,
  StatusCodes,
  Variant,
  WriteRequest,
  WriteResponse,
} from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { HttpsPeer } from './https-peer.ts';

const VALUE = 'ns=1;s=Speed';
const SLOW = 'ns=1;s=Slow';

let test: TestServer;
let peers: HttpsPeer[];
/** Ends the reads of the slow value. */
let finishSlow: () => void;

type Options = NonNullable<Parameters<typeof startTestServer>[1]>;

async function start(sessionless: NonNullable<Options['https']>['sessionless'] | undefined, options: Options = {}): Promise<void> {
  const finished = new Promise<void>((resolve) => {
    finishSlow = resolve;
  });
  test = await startTestServer(
    (space) => {
      space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 21.5, writable: true });
      space.addVariable({
        nodeId: 's=Slow',
        browseName: 'Slow',
        dataType: 'Double',
        read: async () => {
          await finished;
          return 1;
        },
      });
    },
    { https: sessionless === undefined ? {} : { sessionless }, webPort: { port: 0 }, ...options },
  );
}

function peer(maxSockets = 1): HttpsPeer {
  const made = new HttpsPeer(test, maxSockets);
  peers.push(made);
  return made;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const basic = (pair: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

beforeEach(() => {
  peers = [];
});

afterEach(async () => {
  finishSlow();
  for (const each of peers) each.close();
  await test.end();
});

describe('requests without a Session over HTTPS', () => {
  it('need one unless the host allows them', async () => {
    await start(undefined);
    expect(await peer().fault(ReadRequest, readOf([VALUE]))).toBe(StatusCodes.BadSessionIdInvalid);
  });

  it('read, write and browse as an anonymous user where Sessions may be anonymous', async () => {
    await start({});
    const caller = peer();
    const nodesToWrite = [{ nodeId: NodeId.parse(VALUE), attributeId: 13, indexRange: null, value: { value: Variant.double(2) } }];
    const written = await caller.request(WriteRequest, { nodesToWrite: nodesToWrite as never }, WriteResponse);
    expect(written.results).toEqual([StatusCodes.Good]);
    expect((await caller.request(ReadRequest, readOf([VALUE]), ReadResponse)).results?.[0]?.value?.value).toBe(2);
    expect(test.server.counts.sessions).toBe(0);
  });

  it('go on with what a Browse left as long as their connection lasts, and leave nothing behind', async () => {
    await start({});
    const caller = peer();
    const nodesToBrowse = [
      {
        nodeId: NodeId.parse('i=85'),
        browseDirection: 0,
        referenceTypeId: NodeId.NULL,
        includeSubtypes: true,
        nodeClassMask: 0,
        resultMask: 63,
      },
    ];
    const browsed = await caller.request(
      BrowseRequest,
      { nodesToBrowse: nodesToBrowse as never, requestedMaxReferencesPerNode: 1 },
      BrowseResponse,
    );
    const point = browsed.results?.[0]?.continuationPoint ?? null;
    expect(point).not.toBeNull();
    const next = await caller.request(BrowseNextRequest, { continuationPoints: [point] }, BrowseNextResponse);
    expect(next.results?.[0]?.references).toHaveLength(1);
    expect(test.server.isolation.retained.usedBytes).toBeGreaterThan(0);
    caller.close();
    await until(() => test.server.isolation.retained.usedBytes === 0);
  });

  it('are none of those that keep a state in the server', async () => {
    await start({});
    expect(await peer().fault(CreateSubscriptionRequest, {})).toBe(StatusCodes.BadSessionIdInvalid);
    expect(await peer().fault(RegisterNodesRequest, {})).toBe(StatusCodes.BadSessionIdInvalid);
  });

  it('act for the user of a Basic authorization, and for nobody else', async () => {
    const security = { validateUser: (name: string, password: string) => name === 'ann' && password === 'secret' };
    await start({}, { security });
    const caller = peer();
    expect((await caller.request(ReadRequest, readOf([VALUE]), ReadResponse, basic('ann:secret'))).results).toHaveLength(1);
    for (const headers of [basic('ann:guess'), basic('bob:secret'), {}, { authorization: 'Bearer ann' }, { authorization: 'nonsense' }]) {
      const answer = await caller.send(ReadRequest, readOf([VALUE]), headers);
      expect(answer.statusCode).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Basic /u);
    }
  });

  it('lock a name out like Sessions do, whose guesses count as well', async () => {
    await start({}, { security: { validateUser: (name, password) => name === 'ann' && password === 'secret' } });
    const caller = peer();
    for (let guess = 0; guess < 10; guess++) await caller.send(ReadRequest, readOf([VALUE]), basic(`ann:${guess}`));
    expect((await caller.send(ReadRequest, readOf([VALUE]), basic('ann:secret'))).statusCode).toBe(401);
  });

  it('act for whom the host takes a bearer token for', async () => {
    await start({ allowAnonymous: false, validateBearer: (token) => Promise.resolve(token === 'good') });
    const caller = peer();
    const answer = await caller.request(ReadRequest, readOf([VALUE]), ReadResponse, { authorization: 'Bearer good' });
    expect(answer.results).toHaveLength(1);
    expect((await caller.send(ReadRequest, readOf([VALUE]), { authorization: 'Bearer bad' })).statusCode).toBe(401);
    expect((await caller.send(ReadRequest, readOf([VALUE]))).statusCode).toBe(401);
  });

  it('RI-42 have a budget of their own, which leaves that of Sessions alone', async () => {
    await start({ maxRequests: 2 });
    const held = [peer(), peer()].map((each) => each.request(ReadRequest, readOf([SLOW]), ReadResponse));
    await until(() => test.server.counts.executingRequests === 2);
    expect(await peer().fault(ReadRequest, readOf([VALUE]))).toBe(StatusCodes.BadServerTooBusy);
    const session = await HttpsPeer.withSession(test);
    peers.push(session);
    expect((await session.request(ReadRequest, readOf([VALUE]), ReadResponse)).results).toHaveLength(1);
    finishSlow();
    for (const each of await Promise.all(held)) expect(each.results?.[0]?.value?.value).toBe(1);
    expect((await peer().request(ReadRequest, readOf([VALUE]), ReadResponse)).results).toHaveLength(1);
    await session.closeSession();
    expect(test.server.resourceIsolation.getUsage(Stage.SessionEstablishment)).toBe(0);
  });
});
