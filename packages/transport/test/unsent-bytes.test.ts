import type { RetainedBytesAccount, RetainedBytesAccounts } from '@bulkhead/contracts';
import { type MemoryPeer, RecordingProvider } from '@bulkhead/testkit';
import { SecurityTokenRequestType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { UnsentBytes, type UnsentHolder } from '../src/unsent-bytes.ts';
import { Harness, type HarnessOptions, readRequest, sessionOn } from './harness.ts';

const RESPONSE_BYTES = 60_000;
const limits = { maxMessageSize: 100_000, maxUnsentBytes: 1_000_000, pacedUnsentBytes: 900_000, maxUnsentBytesPerOwner: 1_000_000 };

/** Counts per owner and in all, up to a total. */
class TestAccounts implements RetainedBytesAccounts {
  readonly used: Map<string, number> = new Map();
  readonly opened: string[] = [];
  openCount = 0;
  maxTotalBytes: number = Infinity;

  get totalBytes(): number {
    let total = 0;
    for (const bytes of this.used.values()) total += bytes;
    return total;
  }

  open(ownerKey: string): RetainedBytesAccount {
    const usedBytes = (): number => this.used.get(ownerKey) ?? 0;
    this.opened.push(ownerKey);
    this.openCount++;
    return {
      get usedBytes() {
        return usedBytes();
      },
      tryCharge: (bytes) => {
        if (this.totalBytes + bytes > this.maxTotalBytes) return false;
        this.used.set(ownerKey, usedBytes() + bytes);
        return true;
      },
      release: (bytes) => void this.used.set(ownerKey, usedBytes() - bytes),
      [Symbol.dispose]: () => void this.openCount--,
    };
  }
}

async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const harness = new Harness({ limits, ...options });
  harness.sink.textLength = RESPONSE_BYTES;
  return harness;
}

/** Asks for responses and takes none. */
async function hoard(harness: Harness, peer: MemoryPeer, count: number): Promise<void> {
  peer.transport.pause();
  for (let i = 0; i < count; i++) {
    readRequest(peer);
    await harness.settle();
  }
}

describe('what the connections of one owner have unsent together', () => {
  it('BX-07 is bounded: the largest of its own is closed with the reason, never another owner’s', async () => {
    const harness = await startHarness();
    const other = await harness.open(harness.connectFrom('10.0.0.2'));
    await hoard(harness, other, 13);
    const small = await harness.open(harness.connectFrom('10.0.0.1'));
    const large = await harness.open(harness.connectFrom('10.0.0.1'));
    await hoard(harness, large, 10);
    await hoard(harness, small, 6);
    expect(harness.factory.diagnostics.closed.OwnerUnsentLimit).toBe(0);
    await hoard(harness, small, 1);
    expect([large.isClosed, small.isClosed, other.isClosed]).toEqual([true, false, false]);
    expect(harness.factory.diagnostics.closed.OwnerUnsentLimit).toBe(1);
    expect(harness.runtime.log.of('connection.closed').at(-1)?.fields).toMatchObject({ reason: 'OwnerUnsentLimit' });
    // Room for as much again.
    await hoard(harness, small, 6);
    expect(small.isClosed).toBe(false);
    await harness.end();
  });

  it('BX-07 is charged to the user of the Session once that is known', async () => {
    const retainedBytes = new TestAccounts();
    const harness = await startHarness({ retainedBytes });
    const peers = [await harness.open(harness.connectFrom('10.0.0.1')), await harness.open(harness.connectFrom('10.0.0.2'))];
    for (const peer of peers) harness.factory.registry.setSession(peer.channel.channelId, sessionOn(peer, 'gateway'));
    for (const peer of peers) await hoard(harness, peer, 2);
    expect(retainedBytes.opened).toEqual(['user:gateway']);
    expect(retainedBytes.totalBytes).toBeGreaterThan(4 * RESPONSE_BYTES);
    for (const peer of peers) peer.transport.resume();
    await harness.settle();
    expect(retainedBytes.totalBytes).toBe(0);
    expect(retainedBytes.openCount).toBe(0);
    await harness.end();
  });

  it('BX-08 counts in the accounts of what is retained: a full one costs the owner its own connection', async () => {
    const retainedBytes = new TestAccounts();
    retainedBytes.maxTotalBytes = 5 * RESPONSE_BYTES;
    const harness = await startHarness({ retainedBytes });
    const modest = await harness.open(harness.connectFrom('10.0.0.2'));
    await hoard(harness, modest, 2);
    const greedy = await harness.open(harness.connectFrom('10.0.0.1'));
    await hoard(harness, greedy, 3);
    expect([modest.isClosed, greedy.isClosed]).toEqual([false, true]);
    expect(retainedBytes.used.get('address:10.0.0.1')).toBe(0);
    await harness.end();
    expect(retainedBytes.totalBytes).toBe(0);
    expect(retainedBytes.openCount).toBe(0);
  });

  it('BX-07 includes responses that wait behind the signature of a renewal', async () => {
    const harness = await startHarness({
      limits: { ...limits, pacedUnsentBytes: 100_000, maxUnsentBytes: 300_000 },
      provider: new RecordingProvider(),
    });
    harness.sink.answersAtOnce = false;
    const peer = await harness.open();
    for (let i = 0; i < 6; i++) readRequest(peer);
    await harness.settle();
    peer.send(peer.channel.openRequest(SecurityTokenRequestType.Renew));
    // The renewal is being answered; nothing goes out before its OPN chunk.
    harness.runtime.turns.runTurn();
    await Promise.resolve();
    const [connection] = harness.factory.registry;
    harness.sink.answerWaiting(1);
    expect(connection?.unsentBytes).toBeGreaterThan(RESPONSE_BYTES);
    harness.sink.answerWaiting(1);
    expect(harness.sink.heldBack).toEqual([true]);
    harness.sink.answerWaiting(4);
    await harness.settle();
    expect(harness.factory.diagnostics.closed.UnsentLimit).toBe(1);
    await harness.end();
  });
});

describe('UnsentBytes', () => {
  const holder = (key: string): UnsentHolder & { unsentBytes: number; cut: number } => ({
    unsentBytes: 0,
    cut: 0,
    unsentOwnerKey: () => key,
    onOwnerUnsentLimit() {
      this.cut++;
    },
  });

  it('knows an owner only while something of it is unsent', () => {
    const all = new UnsentBytes(100, undefined);
    const [a, b] = [holder('a'), holder('a')];
    const shares = [all.join(a), all.join(b)] as const;
    expect(all.ownerCount).toBe(0);
    a.unsentBytes = b.unsentBytes = 50;
    for (const share of shares) share.update();
    expect(all.ownerCount).toBe(1);
    a.unsentBytes = 0;
    shares[0].update();
    shares[1][Symbol.dispose]();
    shares[1][Symbol.dispose]();
    expect(all.ownerCount).toBe(0);
    expect([a.cut, b.cut]).toEqual([0, 0]);
  });

  it('cuts off the one that grew when that is the largest, and counts nothing of it any more', () => {
    const all = new UnsentBytes(100, undefined);
    const [a, b] = [holder('a'), holder('a')];
    const [ofA, ofB] = [all.join(a), all.join(b)];
    b.unsentBytes = 40;
    ofB.update();
    a.unsentBytes = 61;
    ofA.update();
    expect([a.cut, b.cut]).toEqual([1, 0]);
    ofA.update();
    b.unsentBytes = 100;
    ofB.update();
    expect([a.cut, b.cut]).toEqual([1, 0]);
  });
});
