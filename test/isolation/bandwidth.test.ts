import type { BandwidthOptions } from '@bulkhead/opcua';
import { BuiltInType, DataValue, NodeId, Variant, WriteRequest, WriteResponse, WriteValue } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { startTestServer } from '../support/test-server.ts';

const KiB = 1024;
/** Longer runs show how closely the rate is kept; short ones, that it is. */
const SECONDS = Number(process.env['TEST_BANDWIDTH_SECONDS'] ?? 2);
const BYTES_PER_SECOND = 200 * KiB;
const BURST_BYTES = 20 * KiB;
const BLOB_BYTES = 8 * KiB;
/** Of what a busy machine can make of the rate, at least. */
const LEAST_SHARE = 0.5;
const RATE = { bytesPerSecond: BYTES_PER_SECOND, burstBytes: BURST_BYTES };
const FIRST = '127.0.0.2';
const SECOND = '127.0.0.3';

type Direction = 'read' | 'write';

/** What the server reads is what a client writes. */
const steps: Readonly<Record<Direction, (session: RawSession) => Promise<unknown>>> = {
  write: (session) => session.read('ns=1;s=Blob'),
  read: (session) => {
    const value = new DataValue(Variant.scalar(BuiltInType.ByteString, Buffer.alloc(BLOB_BYTES)));
    const nodesToWrite = [WriteValue.create({ nodeId: NodeId.string(1, 'Sink'), attributeId: 13, value })];
    return session.request(WriteRequest, { nodesToWrite }, WriteResponse);
  },
};

/** Moves blobs one after another until the time is over. @returns the bytes that arrived. */
async function move(session: RawSession, direction: Direction, untilMs: number): Promise<number> {
  let bytes = 0;
  for (; performance.now() < untilMs; bytes += BLOB_BYTES) await steps[direction](session);
  return bytes;
}

/** Moves blobs for each of these at the same time. @returns the bytes of each, without headers. */
async function measure(
  bandwidth: BandwidthOptions,
  movers: readonly { from: string; direction: Direction }[],
): Promise<{ bytes: number[]; seconds: number }> {
  const test = await startTestServer(
    (space) => {
      space.addVariable({ browseName: 'Blob', nodeId: 's=Blob', dataType: 'ByteString', value: Buffer.alloc(BLOB_BYTES) });
      space.addVariable({ browseName: 'Sink', nodeId: 's=Sink', dataType: 'ByteString', value: Buffer.alloc(0), write: () => undefined });
    },
    { bandwidth },
  );
  const sessions = await Promise.all(movers.map(({ from }) => RawSession.open({ port: test.port, localAddress: from })));
  const startedMs = performance.now();
  const untilMs = startedMs + SECONDS * 1000;
  const bytes = await Promise.all(sessions.map((session, at) => move(session, movers[at]?.direction ?? 'read', untilMs)));
  const seconds = (performance.now() - startedMs) / 1000;
  await Promise.all(sessions.map((session) => session.close()));
  await test.end();
  return { bytes, seconds };
}

/** @param bytes of connections with one budget together. */
function expectRate(bytes: readonly number[], seconds: number): void {
  const rate = (bytes.reduce((sum, each) => sum + each, 0) - BURST_BYTES) / seconds;
  console.log(`${((rate / BYTES_PER_SECOND) * 100).toFixed(1)} % of the rate, for ${bytes.length} together`);
  expect(rate).toBeLessThan(BYTES_PER_SECOND * 1.01);
  expect(rate).toBeGreaterThan(BYTES_PER_SECOND * LEAST_SHARE);
}

describe('bandwidth', () => {
  it.concurrent.each(['read', 'write'] as const)(
    'LM-07 holds each connection to its rate: what the server has to %s',
    async (direction) => {
      const movers = [FIRST, FIRST].map((from) => ({ from, direction }));
      const { bytes, seconds } = await measure({ perConnection: { [direction]: RATE } }, movers);
      for (const moved of bytes) expectRate([moved], seconds);
    },
  );

  it.concurrent('LM-07 holds all connections and both directions to one rate together', async () => {
    const movers = [FIRST, SECOND].flatMap((from) => (['read', 'write'] as const).map((direction) => ({ from, direction })));
    const { bytes, seconds } = await measure({ total: RATE }, movers);
    expectRate(bytes, seconds);
  });

  it.concurrent('LM-07 holds all connections of one caller to its rate together, and no other caller', async () => {
    const direction = 'write';
    const movers = [FIRST, FIRST, SECOND].map((from) => ({ from, direction }) as const);
    const { bytes, seconds } = await measure({ perOwner: { write: RATE } }, movers);
    expectRate(bytes.slice(0, 2), seconds);
    expectRate(bytes.slice(2), seconds);
  });

  it('names the rate that is wrong before anything is opened', async () => {
    const start = startTestServer(() => undefined, { bandwidth: { perOwner: { read: { bytesPerSecond: 0 } } } });
    await expect(start).rejects.toThrow(/bandwidth: .*read\.bytesPerSecond/u);
  });
});
