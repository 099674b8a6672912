import { ChunkReassemblyBudget } from '@bulkhead/opcua';
import { Stage } from '@bulkhead/resource-isolation';
import { encodeMessage, RawUacpPeer, rawChunk, rawHello } from '@bulkhead/testkit';
import { FindServersRequest, FindServersResponse, SecurityTokenRequestType } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileTest, until } from './bystander.ts';
import { statusName } from './status-names.ts';

const BUDGET = 1024 * 1024;
const SENDERS = 50;
/** What each of them has sent when it stops. */
const HALF_BYTES = 20_000;
const HELLO_TIMEOUT_MS = 500;
const HANDSHAKE_TIMEOUT_MS = 1500;
/** How late a busy machine may be. */
const LATE_MS = 2000;
let hostile: HostileTest;

beforeAll(async () => {
  hostile = await HostileTest.start({
    maxMessageSize: 64 * 1024,
    // All of it for channels without a Session: these clients never have one.
    chunkReassemblyBudget: new ChunkReassemblyBudget(BUDGET, BUDGET),
    resourceIsolation: { mode: 'SharedOnly' },
    maxReassemblyBytes: BUDGET,
    helloTimeoutMs: HELLO_TIMEOUT_MS,
    handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
  });
});

afterAll(() => hostile.end());

const retained = (): number => hostile.test.server.resourceIsolation.getUsage(Stage.ReassemblyBytes);

async function openPeer(): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port: hostile.port });
  await peer.hello();
  await peer.openNone();
  return peer;
}

describe('clients that begin messages and do not end them', () => {
  it('CB-03 CB-04 fill the budget; who does not fit is refused at once, and single-chunk requests are served meanwhile', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const senders = await fillBudget();
      const full = retained();
      expect(full).toBeGreaterThanOrEqual(SENDERS * HALF_BYTES);
      expect(full).toBeLessThanOrEqual(BUDGET);

      const late = await openPeer();
      late.send(late.channel.chunk('MSG', 'C', 9, Buffer.alloc(60_000)));
      expect(statusName((await late.nextError()).error)).toBe('BadTcpNotEnoughResources');
      await late.closed;
      expect(retained()).toBe(full);

      const newcomer = await openPeer();
      await newcomer.request(FindServersRequest, {}, FindServersResponse);
      await hostile.bystanderGoesOn();
      expect(retained()).toBe(full);
      await newcomer.closeChannel();
      await Promise.all(senders.map((peer) => peer.destroy()));
    });
  });

  it('CB-05 give everything back by completing, replacing, aborting, failing or closing', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const senders = await fillBudget();
      const ends: ((peer: RawUacpPeer) => Promise<unknown>)[] = [
        (peer) => completed(peer),
        (peer) => aborted(peer),
        (peer) => replaced(peer),
        (peer) => faulted(peer),
        (peer) => peer.closeChannel(),
        (peer) => peer.destroy(),
      ];
      const survivors: RawUacpPeer[] = [];
      for (const [i, peer] of senders.entries()) {
        const before = retained();
        await ends[i % ends.length]?.(peer);
        await until(() => retained() <= before - HALF_BYTES);
        if (!peer.isClosed) survivors.push(peer);
      }
      expect(retained()).toBe(0);
      expect(survivors).toHaveLength(Math.ceil(SENDERS / ends.length) * 2);
      await Promise.all(survivors.map((peer) => peer.destroy()));
    });
  });

  it('CB-08 are cut off at a fixed deadline that further chunks do not move', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await RawUacpPeer.connect({ port: hostile.port });
      await peer.hello();
      // The shortest lifetime that the server grants: 1 s.
      await peer.openNone(SecurityTokenRequestType.Issue, 1);
      const startMs = performance.now();
      const drip = (): void => peer.send(peer.channel.chunk('MSG', 'C', 9, Buffer.alloc(10)));
      drip();
      const dripping = setInterval(drip, 250);
      try {
        expect(statusName((await peer.nextError()).error)).toBe('BadTimeout');
      } finally {
        clearInterval(dripping);
      }
      expect(performance.now() - startMs).toBeGreaterThan(900);
      await peer.closed;
      expect(retained()).toBe(0);
    });
  });
});

describe('RI-38 clients that do not get to an open channel are cut off in time', () => {
  it.each([
    ['a socket that never sends', [], HELLO_TIMEOUT_MS],
    ['a Hello that comes byte by byte', [rawHello()], HELLO_TIMEOUT_MS],
    ['a Hello and nothing more', ['hello'], HANDSHAKE_TIMEOUT_MS],
    ['a Hello and an OPN that comes byte by byte', ['hello', rawChunk('OPN', 'F', Buffer.alloc(2000))], HANDSHAKE_TIMEOUT_MS],
  ] as const)('%s', async (_what, script, deadlineMs) => {
    await hostile.costsOnlyItsSender(async () => {
      const startMs = performance.now();
      const peer = await RawUacpPeer.connect({ port: hostile.port });
      const stop = await run(peer, script);
      const { error } = await peer.nextError();
      stop();
      expect(statusName(error)).toBe('BadTimeout');
      expect(performance.now() - startMs).toBeGreaterThan(deadlineMs * 0.9);
      expect(performance.now() - startMs).toBeLessThan(deadlineMs + LATE_MS);
      await peer.closed;
    });
  });
});

/** `hello` is done properly; bytes are sent one at a time, too slowly. @returns how to stop that. */
async function run(peer: RawUacpPeer, script: readonly ('hello' | Buffer)[]): Promise<() => void> {
  let stop = (): void => undefined;
  for (const step of script) {
    if (step === 'hello') await peer.hello();
    else {
      let at = 0;
      const timer = setInterval(() => peer.send(step.subarray(at, ++at)), 20);
      stop = () => clearInterval(timer);
    }
  }
  return stop;
}

const requestIds = new WeakMap<RawUacpPeer, number>();

async function fillBudget(): Promise<RawUacpPeer[]> {
  const senders = await Promise.all(Array.from({ length: SENDERS }, openPeer));
  for (const peer of senders) {
    const { channel } = peer;
    const requestId = channel.nextRequestId++;
    requestIds.set(peer, requestId);
    const message = encodeMessage(FindServersRequest, FindServersRequest.create({ localeIds: ['x'.repeat(HALF_BYTES)] }));
    const start = message.subarray(0, HALF_BYTES);
    peer.send(
      channel.chunk('MSG', 'C', requestId, start.subarray(0, HALF_BYTES / 2)),
      channel.chunk('MSG', 'C', requestId, start.subarray(HALF_BYTES / 2)),
    );
  }
  await until(() => retained() >= SENDERS * HALF_BYTES);
  return senders;
}

async function completed(peer: RawUacpPeer): Promise<void> {
  const requestId = requestIds.get(peer) as number;
  const message = encodeMessage(FindServersRequest, FindServersRequest.create({ localeIds: ['x'.repeat(HALF_BYTES)] }));
  peer.send(peer.channel.chunk('MSG', 'F', requestId, message.subarray(HALF_BYTES)));
  (await peer.response(requestId)).decode(FindServersResponse);
}

async function aborted(peer: RawUacpPeer): Promise<void> {
  peer.send(peer.channel.chunk('MSG', 'A', requestIds.get(peer) as number, Buffer.alloc(8)));
  await peer.request(FindServersRequest, {}, FindServersResponse);
}

async function replaced(peer: RawUacpPeer): Promise<void> {
  peer.send(peer.channel.chunk('MSG', 'C', (requestIds.get(peer) as number) + 1, Buffer.alloc(10)));
  expect(statusName((await peer.nextError()).error)).toBe('BadDecodingError');
  await peer.closed;
}

async function faulted(peer: RawUacpPeer): Promise<void> {
  peer.send(peer.channel.chunk('XYZ', 'F', 1, Buffer.alloc(8)));
  await peer.closed;
}
