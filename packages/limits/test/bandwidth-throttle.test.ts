import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BandwidthThrottle, type ByteRate, KeyedBandwidthThrottle, type Pacer, stackThrottles, ThrottleStack } from '../src/index.ts';
import { ReferenceBucket } from './reference-bucket.ts';

const rate: ByteRate = { bytesPerSecond: 100_000 };

interface Mover {
  readonly pacer: Pacer;
  readonly nextBytes: () => number;
  /** How late its timers run. */
  readonly lateMs?: number;
}

/** Reads as a socket does: what is there arrives, then it waits until that is paid for. @returns bytes by mover. */
function readFor(durationMs: number, movers: readonly Mover[]): number[] {
  const moved = movers.map(() => 0);
  const wakeMs = movers.map(() => 0);
  for (let nowMs = 0; nowMs < durationMs; nowMs++) {
    for (const [index, { pacer, nextBytes, lateMs = 0 }] of movers.entries()) {
      while (wakeMs[index]! <= nowMs) {
        const bytes = nextBytes();
        moved[index]! += bytes;
        const atMs = pacer.charge(nowMs, bytes);
        wakeMs[index] = atMs > nowMs ? atMs + lateMs : nowMs;
      }
    }
  }
  return moved;
}

/** Writes as a socket does: each piece is sent once it is paid for. */
function writeFor(durationMs: number, movers: readonly Mover[]): number[] {
  const moved = movers.map(() => 0);
  const pending = movers.map(({ pacer, nextBytes }) => {
    const bytes = nextBytes();
    return { bytes, atMs: pacer.charge(0, bytes) };
  });
  for (let nowMs = 0; nowMs < durationMs; nowMs++) {
    for (const [index, { pacer, nextBytes, lateMs = 0 }] of movers.entries()) {
      while (pending[index]!.atMs <= nowMs) {
        moved[index]! += pending[index]!.bytes;
        const bytes = nextBytes();
        const atMs = pacer.charge(nowMs, bytes);
        pending[index] = { bytes, atMs: atMs > nowMs ? atMs + lateMs : nowMs };
      }
    }
  }
  return moved;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function expectWithin1Percent(bytes: number, expected: number): void {
  expect(Math.abs(bytes - expected) / expected, `${bytes} of ${expected}`).toBeLessThanOrEqual(0.01);
}

describe('BandwidthThrottle', () => {
  it.each([
    ['reads', readFor],
    ['writes', writeFor],
  ] as const)('paces the %s of a connection to its rate within 1 %%, with timers on time and late', (_direction, moveFor) => {
    for (const lateMs of [0, 7]) {
      const { read, write } = new BandwidthThrottle({ mode: 'PerConn', read: rate, write: rate }).attach();
      const pacer = moveFor === readFor ? read! : write!;
      expectWithin1Percent(sum(moveFor(20_000, [{ pacer, nextBytes: () => 1_460, lateMs }])), 2_000_000);
    }
  });

  it('PerConn gives every connection and direction a budget of its own', () => {
    const throttle = new BandwidthThrottle({ mode: 'PerConn', read: rate, write: { bytesPerSecond: 50_000 } });
    const [a, b] = [throttle.attach(), throttle.attach()];
    const movers = [a.read!, a.write!, b.read!, b.write!].map((pacer) => ({ pacer, nextBytes: () => 1_000 }));
    const moved = readFor(20_000, movers);
    for (const [index, expected] of [2_000_000, 1_000_000, 2_000_000, 1_000_000].entries()) expectWithin1Percent(moved[index]!, expected);
  });

  it('Shared lets all connections and both directions spend one budget, in turn, so nobody starves', () => {
    for (const moveFor of [readFor, writeFor]) {
      const throttle = new BandwidthThrottle({ mode: 'Shared', total: rate });
      const [a, b] = [throttle.attach(), throttle.attach()];
      const movers = [a.read!, a.write!, b.read!, b.write!].map((pacer) => ({ pacer, nextBytes: () => 1_000 }));
      const moved = moveFor(20_000, movers);
      expectWithin1Percent(sum(moved), 2_000_000);
      for (const bytes of moved) expect(bytes).toBeGreaterThan(490_000);
    }
    const again = new BandwidthThrottle({ mode: 'Shared', total: rate });
    const pacers = Array.from({ length: 10 }, () => again.attach().write!);
    expectWithin1Percent(
      sum(
        writeFor(
          20_000,
          pacers.map((pacer) => ({ pacer, nextBytes: () => 500 })),
        ),
      ),
      2_000_000,
    );
  });

  it('leaves out the directions it is told to', () => {
    expect(new BandwidthThrottle({ mode: 'PerConn', write: rate }).attach().read).toBeUndefined();
    expect(new BandwidthThrottle({ mode: 'PerConn', read: rate }).attach().write).toBeUndefined();
    const shared = new BandwidthThrottle({ mode: 'Shared', total: rate, read: false }).attach();
    expect(shared.read).toBeUndefined();
    expect(shared.write).toBeDefined();
  });

  it('says how many bytes may be moved now, and none while in debt', () => {
    const { read } = new BandwidthThrottle({ mode: 'PerConn', read: { bytesPerSecond: 1_000, burstBytes: 100 } }).attach();
    expect(read!.budgetBytes(0)).toBe(100);
    expect(read!.charge(0, 100)).toBe(0);
    expect(read!.budgetBytes(0)).toBe(0);
    expect(read!.charge(0, 50)).toBe(50);
    expect(read!.budgetBytes(50)).toBe(0);
    expect(read!.budgetBytes(60)).toBe(10);
    expect(read!.budgetBytes(10_000)).toBe(100);
  });

  it('stacks: every layer applies, and the tightest decides', () => {
    const all = new BandwidthThrottle({ mode: 'Shared', total: { bytesPerSecond: 150_000 } });
    const throttle = new ThrottleStack([all, new BandwidthThrottle({ mode: 'PerConn', read: rate })]);
    const alone = throttle.attach();
    expect(alone.read!.quantumBytes).toBe(5_000);
    expect(alone.read!.budgetBytes(0)).toBe(5_000);
    expect(alone.read!.isFull(0)).toBe(true);
    expectWithin1Percent(sum(readFor(20_000, [{ pacer: alone.read!, nextBytes: () => 1_000 }])), 2_000_000);

    expect(alone.read!.isFull(20_000)).toBe(false);

    const fresh = new ThrottleStack([
      new BandwidthThrottle({ mode: 'Shared', total: { bytesPerSecond: 150_000 } }),
      new BandwidthThrottle({ mode: 'PerConn', read: rate }),
    ]);
    const movers = [fresh.attach(), fresh.attach()].map(({ read }) => ({ pacer: read!, nextBytes: () => 1_000 }));
    expectWithin1Percent(sum(readFor(20_000, movers)), 3_000_000);
    expect(alone.write!.charge(0, 0)).toBeGreaterThanOrEqual(0);
    expect(stackThrottles([]).read).toBeUndefined();
  });

  it('moves, over any span, no more than the burst, the rate and one piece, and wastes nothing, whatever the pieces', () => {
    const options = fc.record({
      bytesPerSecond: fc.integer({ min: 1_000, max: 50_000 }),
      burstBytes: fc.integer({ min: 100, max: 5_000 }),
    });
    const pieces = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(options, pieces, fc.boolean(), (byteRate, sizes, isRead) => {
        const { read } = new BandwidthThrottle({ mode: 'PerConn', read: byteRate }).attach();
        let turn = 0;
        const nextBytes = (): number => sizes[turn++ % sizes.length]!;
        const moved = sum((isRead ? readFor : writeFor)(5_000, [{ pacer: read!, nextBytes }]));
        const allowed = 5 * byteRate.bytesPerSecond;
        const largest = Math.max(...sizes);
        expect(moved).toBeLessThanOrEqual(allowed + byteRate.burstBytes + (isRead ? largest : 0));
        // A wait ends on a whole millisecond, so the very last one may be short.
        expect(moved).toBeGreaterThanOrEqual(allowed - (isRead ? 0 : largest) - byteRate.bytesPerSecond / 1_000);
      }),
    );
  });

  it('answers as a slow, obvious bucket does, to the byte and the millisecond, for any number of connections', () => {
    const step = fc.record({
      connection: fc.integer({ min: 0, max: 3 }),
      isRead: fc.boolean(),
      stepMs: fc.integer({ min: 0, max: 40 }),
      bytes: fc.integer({ min: 0, max: 60 }),
    });
    const options = fc.record({ bytesPerSecond: fc.integer({ min: 100, max: 5_000 }), burstBytes: fc.integer({ min: 1, max: 100 }) });
    fc.assert(
      fc.property(options, fc.boolean(), fc.array(step, { maxLength: 60 }), (total, isShared, steps) => {
        const throttle = new BandwidthThrottle(isShared ? { mode: 'Shared', total } : { mode: 'PerConn', read: total, write: total });
        const connections = [0, 1, 2, 3].map(() => throttle.attach());
        const references = new Map<string, ReferenceBucket>();
        let nowMs = 0;
        for (const { connection, isRead, stepMs, bytes } of steps) {
          nowMs += stepMs;
          const name = isShared ? 'all' : `${connection} ${isRead}`;
          const reference =
            references.get(name) ?? new ReferenceBucket({ amount: total.bytesPerSecond, periodMs: 1_000, burst: total.burstBytes });
          references.set(name, reference);
          reference.takeAnyway(nowMs, bytes);
          const { read, write } = connections[connection]!;
          expect((isRead ? read : write)!.charge(nowMs, bytes)).toBe(reference.whenThere(0));
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    [{ mode: 'PerConn', read: { bytesPerSecond: 0 } }, 'read.bytesPerSecond: '],
    [{ mode: 'PerConn', write: { bytesPerSecond: 1, burstBytes: 0 } }, 'write.burstBytes: '],
    [{ mode: 'Shared', total: { bytesPerSecond: 2 ** 41 } }, 'total.bytesPerSecond: '],
  ] as const)('names the option that is wrong in %j', (options, message) => {
    expect(() => new BandwidthThrottle(options)).toThrow(message);
  });
});

describe('KeyedBandwidthThrottle', () => {
  it('gives all connections of a key one budget, and other keys theirs', () => {
    const throttle = new KeyedBandwidthThrottle({ perKey: { mode: 'PerConn', read: rate, write: rate } });
    const [a1, a2, b] = [throttle.attach('a', 0)!, throttle.attach('a', 0)!, throttle.attach('b', 0)!];
    const moved = readFor(
      20_000,
      [a1, a2, b].map(({ read }) => ({ pacer: read!, nextBytes: () => 1_000 })),
    );
    expectWithin1Percent(moved[0]! + moved[1]!, 2_000_000);
    expectWithin1Percent(moved[2]!, 2_000_000);
    expect(a1.write).toBe(a2.write);
    expect(a1.write).not.toBe(a1.read);
  });

  it('refuses a new key when `maxKeys` have connections, and forgets a key only when it is idle and paid off', () => {
    const throttle = new KeyedBandwidthThrottle({ perKey: { mode: 'Shared', total: rate }, maxKeys: 1 });
    const first = throttle.attach('a', 0)!;
    first.read!.charge(0, 305_000);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(throttle.attach('b', 2_000)).toBeUndefined();
    const again = throttle.attach('a', 2_500)!;
    expect(again.write!.budgetBytes(2_500)).toBe(0);
    expect(throttle.attach('b', 60_000)).toBeUndefined();
    again[Symbol.dispose]();
    expect(throttle.attach('b', 61_000)).toBeDefined();
    expect(throttle.trackedKeyCount).toBe(1);
  });

  it('names the option that is wrong before the first connection', () => {
    expect(() => new KeyedBandwidthThrottle({ perKey: { mode: 'PerConn', read: { bytesPerSecond: 0 } } })).toThrow(/^read\.bytesPerSecond/);
    expect(() => new KeyedBandwidthThrottle({ perKey: { mode: 'Shared', total: rate }, maxKeys: 0 })).toThrow(/^maxKeys/);
  });
});
