import { createServer } from 'node:net';
import { Stage } from '@bulkhead/resource-isolation';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  byteByByte,
  ChunkInbox,
  createManualRuntime,
  ManualClock,
  ManualTurns,
  MemoryPeer,
  MemoryTransportPair,
  RecordingProvider,
  rawHello,
  SeededRandom,
  trackLeaks,
} from '../src/index.ts';

describe('ManualClock', () => {
  it('runs due timers in order, each at its own time', () => {
    const clock = new ManualClock();
    const ran: [string, number][] = [];
    const note = (name: string) => () => ran.push([name, clock.nowMs()]);
    clock.after(20, note('c'));
    clock.after(10, note('a'));
    clock.after(10, note('b'));
    clock.after(31, note('d'));
    clock.after(5, () => clock.after(7, note('nested')));
    clock.advance(30);
    expect(ran).toEqual([
      ['a', 10],
      ['b', 10],
      ['nested', 12],
      ['c', 20],
    ]);
    expect(clock.nowMs()).toBe(30);
    expect(clock.pendingTimers).toBe(1);
    expect(clock.nextTimerMs).toBe(31);
  });

  it('runs what became due while time elapsed only when it advances', () => {
    const clock = new ManualClock();
    const ran: number[] = [];
    clock.after(10, () => ran.push(clock.nowMs()));
    clock.elapse(30);
    expect(ran).toEqual([]);
    clock.advance(0);
    expect(ran).toEqual([30]);
  });

  it('doesn’t run a cancelled timer', () => {
    const clock = new ManualClock();
    const run = vi.fn();
    const timer = clock.after(1, run);
    timer.cancel();
    timer.cancel();
    clock.advance(10);
    expect(run).not.toHaveBeenCalled();
    expect(clock.pendingTimers).toBe(0);
  });

  it('moves its wall clock along', () => {
    const clock = new ManualClock();
    const start = clock.utcNow().unixMs;
    clock.advance(1500);
    expect(clock.utcNow().unixMs - start).toBe(1500);
  });
});

describe('ManualTurns', () => {
  it('keeps what a turn defers for the next one', () => {
    const turns = new ManualTurns();
    const ran: string[] = [];
    turns.defer(() => {
      ran.push('first');
      turns.defer(() => ran.push('second'));
    });
    turns.runTurn();
    expect(ran).toEqual(['first']);
    expect(turns.runAll()).toBe(1);
    expect(ran).toEqual(['first', 'second']);
  });

  it('fails rather than hangs on endless work', () => {
    const turns = new ManualTurns();
    const again = (): void => turns.defer(again);
    again();
    expect(() => turns.runAll(10)).toThrow('10 turns');
  });
});

describe('SeededRandom', () => {
  it('repeats itself for a seed and differs between seeds', () => {
    const draw = (seed: number): string => new SeededRandom(seed).bytes(32).toString('hex');
    expect(draw(7)).toBe(draw(7));
    expect(draw(7)).not.toBe(draw(8));
    expect(draw(0)).not.toMatch(/^0+$/u);
  });

  it('spreads evenly', () => {
    const random = new SeededRandom(1);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) counts[random.nextInt(10)]!++;
    for (const count of counts) expect(count).toBeGreaterThan(850);
  });
});

describe('MemoryTransportPair', () => {
  const connected = (options = {}) => {
    const { turns } = createManualRuntime();
    const pair = new MemoryTransportPair(turns, options);
    const received: string[] = [];
    const seen = { drains: 0, closes: 0 };
    pair.server.start({
      onBytes: (bytes) => received.push(bytes.toString('latin1')),
      onDrain: () => {},
      onClosed: () => seen.closes++,
    });
    pair.client.start({ onBytes: () => {}, onDrain: () => seen.drains++, onClosed: () => seen.closes++ });
    return { turns, pair, received, seen };
  };

  it('delivers in a later turn, cut as told', () => {
    const { turns, pair, received, seen } = connected({ segment: byteByByte, delayTurns: 3 });
    pair.client.write([Buffer.from('ab'), Buffer.from('c')]);
    turns.runTurn();
    turns.runTurn();
    expect(received).toEqual([]);
    expect(pair.client.unsentBytes).toBe(3);
    turns.runTurn();
    expect(received).toEqual(['a', 'b', 'c']);
    expect(pair.client.unsentBytes).toBe(0);
    expect(seen.drains).toBe(1);
  });

  it('keeps bytes for a side that has paused', () => {
    const { turns, pair, received } = connected({ segment: byteByByte });
    pair.server.resume(2);
    pair.client.write([Buffer.from('abcd')]);
    turns.runAll();
    expect(received).toEqual(['a', 'b']);
    expect(pair.client.unsentBytes).toBe(2);
    pair.server.resume();
    turns.runAll();
    expect(received).toEqual(['a', 'b', 'c', 'd']);
  });

  it('delivers before end closes both sides, once', () => {
    const { turns, pair, received, seen } = connected();
    pair.client.write([Buffer.from('bye')]);
    pair.client.end();
    pair.client.end();
    turns.runAll();
    pair.server.destroy();
    turns.runAll();
    expect(received).toEqual(['bye']);
    expect(seen.closes).toBe(2);
  });

  it('drops what is on its way when destroyed', () => {
    const { turns, pair, received, seen } = connected();
    pair.client.write([Buffer.from('lost')]);
    pair.client.destroy();
    turns.runAll();
    expect(received).toEqual([]);
    expect(seen.closes).toBe(2);
  });

  it('copies what is written', () => {
    const { turns, pair, received } = connected();
    const bytes = Buffer.from('abc');
    pair.client.write([bytes]);
    bytes.fill(0);
    turns.runAll();
    expect(received).toEqual(['abc']);
  });
});

describe('MemoryPeer', () => {
  it('collects whole chunks', () => {
    const { turns } = createManualRuntime();
    const pair = new MemoryTransportPair(turns, { segment: byteByByte });
    const peer = new MemoryPeer(pair.client);
    pair.server.start({ onBytes: () => {}, onDrain: () => {}, onClosed: () => {} });
    pair.server.write([rawHello(), rawHello().subarray(0, 10)]);
    turns.runAll();
    expect(peer.takeChunks()).toEqual([rawHello()]);
    expect(peer.takeChunks()).toEqual([]);
  });

  it('refuses chunks that state an impossible size', () => {
    expect(() => new ChunkInbox().push(Buffer.alloc(8))).toThrow('0 bytes');
  });
});

describe('RecordingProvider', () => {
  it('counts per stage and owner, and refuses at totals and owner limits', () => {
    const provider = new RecordingProvider({ Connection: { total: 3, perOwner: 2 } });
    const a = provider.classifyIngress('10.0.0.1');
    const b = provider.classifyIngress('10.0.0.2');
    const first = provider.tryAcquire(Stage.Connection, a, 1);
    provider.tryAcquire(Stage.Connection, a, 1);
    expect(provider.tryAcquire(Stage.Connection, a, 1)).toMatchObject({ kind: 'refusal', reason: 'OwnerLimit', usage: 2, limit: 2 });
    provider.tryAcquire(Stage.Connection, b, 1);
    expect(provider.tryAcquire(Stage.Connection, b, 1)).toMatchObject({ kind: 'refusal', reason: 'Capacity', usage: 3, limit: 3 });
    expect(provider.trackedOwnerCount).toBe(2);
    if (first.kind === 'lease') {
      first[Symbol.dispose]();
      first[Symbol.dispose]();
    }
    expect(provider.usage).toEqual({ Connection: 2 });
    expect(provider.admissions).toHaveLength(5);
  });

  it('admits a request to all its stages or none', () => {
    const provider = new RecordingProvider({ ParkedRequest: { total: 0 } });
    const owner = provider.classifyIngress('10.0.0.1');
    expect(provider.tryAdmitRequest(owner, 100, true)).toMatchObject({ kind: 'refusal', stage: Stage.ParkedRequest });
    expect(provider.usage).toEqual({});
    expect(provider.tryAdmitRequest(owner, 100, false).kind).toBe('lease');
    expect(provider.usage).toEqual({ RequestQueue: 1, RequestQueueBytes: 100 });
  });
});

describe('trackLeaks', () => {
  const servers: ReturnType<typeof createServer>[] = [];

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  it('names leases, timers and handles that are left', async () => {
    const provider = new RecordingProvider();
    const clock = new ManualClock();
    const check = trackLeaks({ provider, clock });
    await check();
    provider.tryAcquire(Stage.Handshake, provider.classifyIngress('10.0.0.1'), 1);
    clock.after(1, () => {});
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await expect(check()).rejects.toThrow('left behind: Handshake at 1, 1 tracked owners, 1 timers, 1 TCPServerWrap');
  });
});
