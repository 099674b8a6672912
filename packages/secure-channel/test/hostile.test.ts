import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { SecurityPolicies } from '@bulkhead/security';
import { MessageSecurityMode, UaStatusError } from '@bulkhead/types';
import { ChunkFramer, decodeAcknowledge, decodeErrorMessage, decodeHello, decodeReverseHello, readMessageType } from '@bulkhead/uacp';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ChannelPair, makeIdentity, pattern } from './channel-pair.ts';

let clientIdentity: ChannelIdentity;
let serverIdentity: ChannelIdentity;

beforeAll(async () => {
  [clientIdentity, serverIdentity] = await Promise.all([makeIdentity('client'), makeIdentity('server')]);
});

const decoders = { HEL: decodeHello, ACK: decodeAcknowledge, ERR: decodeErrorMessage, RHE: decodeReverseHello };

/** Feeds a stream as a server would read it. Anything but a value or a UaStatusError fails the test. */
async function feed(stream: Buffer, pair: ChannelPair): Promise<void> {
  const framer = new ChunkFramer(65_536);
  try {
    framer.push(Buffer.from(stream));
    for (let chunk = framer.next(); chunk; chunk = framer.next()) {
      const type = readMessageType(chunk);
      if (type === 'OPN' || type === 'MSG' || type === 'CLO') await pair.server.receive(chunk, pair.clock.now);
      else decoders[type](chunk);
    }
  } catch (error) {
    if (!(error instanceof UaStatusError)) throw error;
  }
  pair.server.dispose();
  expect(pair.admission.used).toBe(0);
}

/** A MSG or CLO chunk of a recording, as if it came next on this pair's open channel. */
function addressed(chunk: Buffer): Buffer {
  const copy = Buffer.from(chunk);
  if (copy.length < 24 || copy.toString('latin1', 0, 3) === 'OPN') return copy;
  copy.writeUInt32LE(77, 8);
  copy.writeUInt32LE(1, 12);
  copy.writeUInt32LE(2, 16);
  return copy;
}

describe('hostile bytes', () => {
  it('end in an event or a UaStatusError, whatever is done to a conversation without security', async () => {
    const pair = new ChannelPair();
    const chunks = [...(await pair.client.open(1))];
    const event = (await pair.toServer(chunks))[0];
    if (event?.kind === 'opened') await pair.toClient(event.chunks);
    const stream = Buffer.concat([
      ...chunks,
      ...pair.request(2, pattern(50)),
      ...pair.request(3, pattern(20_000)),
      ...pair.client.close(4),
    ]);
    const edit = fc.record({ at: fc.nat(stream.length - 1), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), fc.nat(stream.length), async (edits, end) => {
        const changed = Buffer.from(stream.subarray(0, end));
        for (const { at, value } of edits) if (at < end) changed[at] = value;
        await feed(changed, new ChannelPair());
      }),
      { numRuns: 300 },
    );
  });

  it('end in an event or a UaStatusError when they follow a valid header', async () => {
    const types = fc.constantFrom('OPNF', 'MSGF', 'MSGC', 'MSGA', 'CLOF', 'HELF', 'ERRF', 'RHEF', 'ACKF');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(types, fc.uint8Array({ maxLength: 200 })), { minLength: 1, maxLength: 3 }), async (parts) => {
        const pair = new ChannelPair();
        await pair.open();
        const stream = parts.map(([type, bytes]) => {
          const chunk = Buffer.concat([Buffer.from(type), Buffer.alloc(4), bytes]);
          chunk.writeUInt32LE(chunk.length, 4);
          return addressed(chunk);
        });
        await feed(Buffer.concat(stream), pair);
      }),
      { numRuns: 300 },
    );
  });

  it('end in a UaStatusError when they come as the header of a secured OPN', async () => {
    const policy = SecurityPolicies.Basic256Sha256;
    const options = { policy, mode: MessageSecurityMode.Sign, clientIdentity, serverIdentity };
    const chunk = (await new ChannelPair(options).client.open(1))[0] as Buffer;
    const edit = fc.record({ at: fc.integer({ min: 8, max: 1200 }), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const changed = Buffer.from(chunk);
        for (const { at, value } of edits) changed[at] = value;
        await feed(changed, new ChannelPair(options));
      }),
      { numRuns: 100 },
    );
  });

  const corpus = process.env['TEST_CORPUS'];
  it.skipIf(corpus === undefined || !existsSync(corpus))('of recorded streams and chunks end in less than 50 ms each', async () => {
    for (const kind of ['tcp-session', 'tcp-stream', 'uasc-chunk', 'uasc-body', 'crash']) {
      const folder = join(corpus as string, kind);
      for (const name of readdirSync(folder)) {
        const bytes = readFileSync(join(folder, name));
        const open = new ChannelPair();
        await open.open();
        const start = performance.now();
        await feed(bytes, new ChannelPair());
        await feed(addressed(bytes), open);
        expect(performance.now() - start, `${kind}/${name}`).toBeLessThan(100);
      }
    }
  });
});
