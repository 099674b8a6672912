import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ConnectionClass, ReservedTokenBuckets } from '../src/index.ts';

function isGranted(buckets: ReservedTokenBuckets, nowMs: number, connectionClass: ConnectionClass, owner?: string): boolean {
  return buckets.tryAcquire(nowMs, connectionClass, owner).kind === 'granted';
}

describe('ReservedTokenBuckets', () => {
  it('keeps one token each for Bootstrap, Reconnect and each trusted owner through a storm of ordinary connections', () => {
    const buckets = new ReservedTokenBuckets({ connectionsPerSecond: 10, connectionBurst: 10, trustedOwners: ['scada', 'mes'] });
    const admitted = Array.from({ length: 100 }, () => isGranted(buckets, 0, 'Ordinary')).filter(Boolean);
    expect(admitted).toHaveLength(6);
    expect(isGranted(buckets, 0, 'Bootstrap')).toBe(true);
    expect(isGranted(buckets, 0, 'Reconnect')).toBe(true);
    expect(isGranted(buckets, 0, 'Trusted', 'scada')).toBe(true);
    expect(isGranted(buckets, 0, 'Trusted', 'mes')).toBe(true);
    for (const connectionClass of ['Bootstrap', 'Reconnect', 'Ordinary'] as const) {
      expect(isGranted(buckets, 0, connectionClass)).toBe(false);
    }
    expect(isGranted(buckets, 0, 'Trusted', 'scada')).toBe(false);
  });

  it('lets the protected use shared tokens once their own is gone', () => {
    const buckets = new ReservedTokenBuckets({ connectionsPerSecond: 6, connectionBurst: 5 });
    expect([1, 2, 3, 4, 5].map(() => isGranted(buckets, 0, 'Reconnect'))).toEqual([true, true, true, true, false]);
    expect(isGranted(buckets, 0, 'Ordinary')).toBe(false);
    expect(isGranted(buckets, 0, 'Bootstrap')).toBe(true);
  });

  it('says when the first of the buckets open to the caller has a token again', () => {
    const buckets = new ReservedTokenBuckets({ connectionsPerSecond: 6, connectionBurst: 3 });
    expect(isGranted(buckets, 0, 'Ordinary')).toBe(true);
    expect(buckets.tryAcquire(0, 'Ordinary')).toEqual({ kind: 'retry', retryAtMs: 250 });
    expect(isGranted(buckets, 0, 'Bootstrap')).toBe(true);
    expect(buckets.tryAcquire(0, 'Bootstrap')).toEqual({ kind: 'retry', retryAtMs: 250 });
    expect(isGranted(buckets, 900, 'Ordinary')).toBe(true);
    expect(buckets.tryAcquire(900, 'Bootstrap')).toEqual({ kind: 'retry', retryAtMs: 1_000 });
  });

  it('counts a trusted owner that was never named as ordinary', () => {
    const buckets = new ReservedTokenBuckets({ connectionsPerSecond: 4, connectionBurst: 4, trustedOwners: ['scada'] });
    expect(isGranted(buckets, 0, 'Trusted', 'stranger')).toBe(true);
    expect(isGranted(buckets, 0, 'Trusted', 'stranger')).toBe(false);
    expect(isGranted(buckets, 0, 'Trusted', 'scada')).toBe(true);
  });

  it.each([
    [{ connectionsPerSecond: 2, connectionBurst: 3 }, 'connectionsPerSecond: an integer >= 3 is needed, not 2'],
    [{ connectionsPerSecond: 3, connectionBurst: 2 }, 'connectionBurst: an integer >= 3 is needed, not 2'],
    [{ connectionsPerSecond: 9, connectionBurst: 4, trustedOwners: ['a', 'b'] }, 'connectionBurst: an integer >= 5 is needed, not 4'],
  ])('refuses totals without a shared token, naming the option and the least: %j', (options, message) => {
    expect(() => new ReservedTokenBuckets(options)).toThrow(new RangeError(message));
  });

  it('never admits more in all than the totals allow, nor ordinary connections more than what is shared', () => {
    const call = fc.record({
      stepMs: fc.integer({ min: 0, max: 300 }),
      connectionClass: fc.constantFrom<ConnectionClass>('Ordinary', 'Ordinary', 'Bootstrap', 'Reconnect', 'Trusted'),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 20 }),
        fc.integer({ min: 4, max: 20 }),
        fc.array(call, { maxLength: 200 }),
        (rate, burst, calls) => {
          const buckets = new ReservedTokenBuckets({ connectionsPerSecond: rate, connectionBurst: burst, trustedOwners: ['a'] });
          let [nowMs, all, ordinary] = [0, 0, 0];
          for (const { stepMs, connectionClass } of calls) {
            nowMs += stepMs;
            if (!isGranted(buckets, nowMs, connectionClass, 'a')) continue;
            all++;
            if (connectionClass === 'Ordinary') ordinary++;
            expect(all).toBeLessThanOrEqual(burst + (rate * nowMs) / 1_000);
            expect(ordinary).toBeLessThanOrEqual(burst - 3 + ((rate - 3) * nowMs) / 1_000);
          }
        },
      ),
    );
  });

  it('leaves the last shared tokens to ordinary callers that come seldom, though one caller comes without end', () => {
    const buckets = new ReservedTokenBuckets({ connectionsPerSecond: 102, connectionBurst: 82, keptForSeldom: 10 });
    const admit = (nowMs: number, owner: string): boolean => buckets.tryAcquire(nowMs, 'Ordinary', owner).kind === 'granted';
    // All there is, as nobody else came yet.
    expect(countWhile(() => admit(0, 'storm'))).toBe(80);
    expect(admit(0, 'first')).toBe(false);
    let granted = 0;
    let newcomers = 0;
    for (let nowMs = 1; nowMs <= 10_000; nowMs++) {
      while (admit(nowMs, 'storm')) granted++;
      if (nowMs > 150 && nowMs % 50 === 0 && admit(nowMs, `newcomer ${nowMs}`)) newcomers++;
    }
    expect(newcomers).toBe(197);
    // All of the rate but what the newcomers took, and the kept tokens are there again.
    expect(granted).toBeGreaterThanOrEqual(1000 - 197 - 10);
    expect(granted + newcomers).toBeLessThanOrEqual(1000);
  });

  it('says to ordinary callers that come often when there are tokens again which are not kept', () => {
    const buckets = new ReservedTokenBuckets({ connectionsPerSecond: 102, connectionBurst: 82, keptForSeldom: 10 });
    expect(countWhile(() => buckets.tryAcquire(0, 'Ordinary', 'a').kind === 'granted')).toBe(80);
    expect(buckets.tryAcquire(0, 'Ordinary', 'b').kind).toBe('retry');
    expect(buckets.tryAcquire(0, 'Ordinary', 'a')).toEqual({ kind: 'retry', retryAtMs: 110 });
    expect(buckets.tryAcquire(20, 'Ordinary', 'a')).toEqual({ kind: 'retry', retryAtMs: 110 });
    expect(buckets.tryAcquire(20, 'Ordinary', 'b')).toEqual({ kind: 'granted' });
  });

  it('keeps less than what is shared for callers that come seldom', () => {
    for (const keptForSeldom of [-1, 0.5, 8]) {
      expect(() => new ReservedTokenBuckets({ connectionsPerSecond: 10, connectionBurst: 10, keptForSeldom })).toThrow(/keptForSeldom/u);
    }
  });
});

function countWhile(condition: () => boolean): number {
  let count = 0;
  while (condition()) count++;
  return count;
}
