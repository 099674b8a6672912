import { ReadRequest, ReadResponse, StatusCodes } from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawSession, readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const NODE_COUNT = 1000;
const allNodes = Array.from({ length: NODE_COUNT }, (_, i) => `ns=1;s=Value.${i}`);

/** How often the hog's node was read so far, and what that was when the victim's node was read. */
let hogReads = 0;
let hogReadsBeforeVictim = 0;
let test: TestServer;

beforeEach(async () => {
  hogReads = 0;
  test = await startTestServer(
    (space) => {
      for (let i = 0; i < NODE_COUNT; i++)
        space.addVariable({ browseName: `Value.${i}`, nodeId: `s=Value.${i}`, dataType: 'Double', value: i });
      space.addVariable({ browseName: 'Hog', nodeId: 's=Hog', dataType: 'Int32', read: () => ++hogReads });
      space.addVariable({
        browseName: 'Victim',
        nodeId: 's=Victim',
        dataType: 'Int32',
        read: () => {
          hogReadsBeforeVictim = hogReads;
          return 1;
        },
      });
    },
    { minSessionTimeoutMs: 100 },
  );
});

afterEach(() => test.end());

describe('a client that pipelines', () => {
  it('gets every one of 300 requests answered once', async () => {
    const session = await RawSession.open({ port: test.port });
    const expected = new Map<number, number>();
    const chunks: Buffer[] = [];
    for (let i = 0; i < 300; i++) {
      const requestId = session.peer.channel.nextRequestId;
      chunks.push(session.peer.channel.request(ReadRequest, { ...readOf([`ns=1;s=Value.${i}`]), requestHeader: session.header() }));
      expected.set(requestId, i);
    }
    session.peer.send(...chunks);
    for (const [requestId, value] of expected) {
      const response = (await session.peer.response(requestId)).decode(ReadResponse);
      expect(response.results?.[0]?.value?.value).toBe(value);
    }
    // Nothing more comes: the next answer is the one to the next request.
    const last = await session.read('ns=1;s=Value.7');
    expect(last.responseHeader.serviceResult).toBe(StatusCodes.Good);
    await session.close();
  });

  it('BX-03 delays the single Read of another client by no more than a few of its large Reads', async () => {
    const hog = await RawSession.open({ port: test.port, localAddress: '127.0.0.2' }, 3000);
    const victim = await RawSession.open({ port: test.port, localAddress: '127.0.0.3' });
    const large = readOf(['ns=1;s=Hog', ...allNodes]);
    const requests = Array.from({ length: 400 }, () => hog.peer.channel.request(ReadRequest, { ...large, requestHeader: hog.header() }));
    hog.peer.send(...requests);
    const delays: number[] = [];
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      const hogReadsAtSending = hogReads;
      await victim.read('ns=1;s=Victim');
      delays.push(hogReadsBeforeVictim - hogReadsAtSending);
    }
    expect(hogReads).toBeGreaterThan(0);
    expect(hogReads).toBeLessThan(400);
    expect(Math.max(...delays)).toBeLessThanOrEqual(10);
    await hog.peer.destroy();
    await victim.close();
  });
});
