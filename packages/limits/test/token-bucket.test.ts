import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { perMinute, perSecond, TokenBucket } from '../src/index.ts';
import { ReferenceBucket } from './reference-bucket.ts';

const granted = { kind: 'granted' };

describe('TokenBucket', () => {
  it('grants the burst at once, then denies at `retryAtMs - 1` and grants at `retryAtMs`', () => {
    const bucket = new TokenBucket({ amount: 3, periodMs: 1_000, burst: 2 });
    expect(bucket.tryAcquire(500, 2)).toEqual(granted);
    expect(bucket.tryAcquire(500)).toEqual({ kind: 'retry', retryAtMs: 834 });
    expect(bucket.tryAcquire(833.999)).toEqual({ kind: 'retry', retryAtMs: 834 });
    expect(bucket.tryAcquire(834)).toEqual(granted);
  });

  it('never holds more than its burst, however long nobody asks', () => {
    const bucket = new TokenBucket(perSecond(1_000, 5));
    expect(bucket.tryAcquire(0, 5)).toEqual(granted);
    expect(bucket.available(1e12)).toBe(5);
    expect(bucket.tryAcquire(1e12, 5)).toEqual(granted);
    expect(bucket.tryAcquire(1e12, 1).kind).toBe('retry');
  });

  it('answers never to more than it can hold, and takes nothing', () => {
    const bucket = new TokenBucket(perSecond(10));
    expect(bucket.tryAcquire(0, 11)).toEqual({ kind: 'never' });
    expect(bucket.readyAtMs(0, 11)).toBe(Number.POSITIVE_INFINITY);
    expect(bucket.tryAcquire(0, 10)).toEqual(granted);
  });

  it('takes a time before the latest one for no time', () => {
    const bucket = new TokenBucket(perSecond(1));
    bucket.tryAcquire(10_000);
    expect(bucket.tryAcquire(0)).toEqual({ kind: 'retry', retryAtMs: 11_000 });
    expect(bucket.tryAcquire(10_999)).toEqual({ kind: 'retry', retryAtMs: 11_000 });
    expect(bucket.tryAcquire(11_000)).toEqual(granted);
  });

  it('does not drift: a third of a token per millisecond is exact after a year of awkward steps', () => {
    const bucket = new TokenBucket({ amount: 1, periodMs: 3, burst: 12 });
    const yearMs = 365 * 86_400_000;
    bucket.tryAcquire(0, 12);
    let [nowMs, taken] = [0, 0];
    while (nowMs < yearMs) {
      nowMs = Math.min(nowMs + 28.7, yearMs);
      const count = bucket.available(nowMs);
      bucket.tryAcquire(nowMs, count);
      taken += count;
      if (nowMs > 1e6 && nowMs < yearMs - 1e6) {
        // Empty it and leap ahead: leaps lose what the burst cannot hold, so they are left out of the sum.
        const leapMs = Math.floor((yearMs - 1e6 - nowMs) / 3) * 3;
        bucket.charge(nowMs, leapMs / 3);
        nowMs += leapMs;
        taken += leapMs / 3;
      }
    }
    expect(taken).toBe(Math.floor(yearMs / 3));
  });

  it('refunds up to its burst and not beyond', () => {
    const bucket = new TokenBucket(perSecond(10, 4));
    bucket.tryAcquire(0, 3);
    bucket.refund(2);
    expect(bucket.available(0)).toBe(3);
    bucket.refund(Number.MAX_SAFE_INTEGER);
    expect(bucket.available(0)).toBe(4);
  });

  it('repays debt before it grants again', () => {
    const bucket = new TokenBucket(perSecond(1_000, 10));
    expect(bucket.charge(0.5, 10)).toBe(0.5);
    expect(bucket.charge(0.5, 20)).toBe(20);
    expect(bucket.charge(1, 5)).toBe(25);
    expect(bucket.available(24)).toBe(0);
    expect(bucket.tryAcquire(25)).toEqual({ kind: 'retry', retryAtMs: 26 });
    expect(bucket.tryAcquire(26)).toEqual(granted);
  });

  it('stays exact at the ends of what it accepts', () => {
    const bucket = new TokenBucket({ amount: 1, periodMs: 2 ** 52 });
    expect(bucket.tryAcquire(0)).toEqual(granted);
    expect(bucket.tryAcquire(0)).toEqual({ kind: 'retry', retryAtMs: 2 ** 52 });
    expect(bucket.tryAcquire(2 ** 52 - 1)).toEqual({ kind: 'retry', retryAtMs: 2 ** 52 });
    expect(bucket.tryAcquire(2 ** 52)).toEqual(granted);
    const fast = new TokenBucket({ amount: 2 ** 52, periodMs: 1 });
    expect(fast.charge(0, Number.MAX_SAFE_INTEGER)).toBe(1);
    expect(fast.available(1)).toBe(1);
  });

  it.each([
    [{ amount: 0, periodMs: 1 }, 'amount'],
    [{ amount: 1.5, periodMs: 1 }, 'amount'],
    [{ amount: 1, periodMs: 0 }, 'periodMs'],
    [{ amount: 1, periodMs: 1, burst: 0 }, 'burst'],
    [{ amount: 1, periodMs: 1_000, burst: 2 ** 52 }, 'burst'],
    [{ amount: Number.NaN, periodMs: 1_000 }, 'amount'],
  ])('names the option that is wrong in %j', (rate, name) => {
    expect(() => new TokenBucket(rate)).toThrow(RangeError);
    expect(() => new TokenBucket(rate)).toThrow(new RegExp(`^${name}: `));
  });

  it('refuses counts and times that are none, and stays as it was', () => {
    const bucket = new TokenBucket(perMinute(6));
    for (const count of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) expect(() => bucket.tryAcquire(0, count)).toThrow(/^count: /);
    for (const nowMs of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) expect(() => bucket.tryAcquire(nowMs)).toThrow(/^nowMs: /);
    expect(bucket.available(0)).toBe(6);
  });

  it('LM-01 answers as a slow, obvious bucket does, to the token and the millisecond, whatever the schedule', () => {
    const step = fc.record({
      kind: fc.constantFrom('tryAcquire', 'tryAcquire', 'tryAcquire', 'charge', 'refund'),
      stepMs: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.double({ min: 0, max: 400, noNaN: true })),
      count: fc.integer({ min: 0, max: 25 }),
    });
    const rate = fc.record({
      amount: fc.integer({ min: 1, max: 60 }),
      periodMs: fc.integer({ min: 1, max: 400 }),
      burst: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(rate, fc.integer({ min: -1e9, max: 1e9 }), fc.array(step, { maxLength: 40 }), (options, originMs, steps) => {
        const [bucket, reference] = [new TokenBucket(options), new ReferenceBucket(options)];
        let nowMs = originMs;
        for (const { kind, stepMs, count } of steps) {
          nowMs += stepMs;
          if (kind === 'refund') {
            bucket.refund(count);
            reference.give(count);
          } else if (kind === 'charge') {
            reference.takeAnyway(nowMs, count);
            expect(Math.floor(bucket.charge(nowMs, count))).toBe(Math.max(Math.floor(nowMs), whenDue(reference, nowMs, 0)));
          } else {
            const wanted = reference.take(nowMs, count);
            const answer = bucket.tryAcquire(nowMs, count);
            if (wanted) expect(answer).toEqual(granted);
            else if (count > options.burst) expect(answer).toEqual({ kind: 'never' });
            else expect(answer).toEqual({ kind: 'retry', retryAtMs: reference.whenThere(count) });
          }
          expect(bucket.isFull(nowMs)).toBe(reference.isFull(nowMs));
        }
      }),
      { numRuns: 400 },
    );
  });
});

/** Due now if it is there: the caller's time may lie before the bucket's. */
function whenDue(reference: ReferenceBucket, nowMs: number, count: number): number {
  return reference.take(nowMs, count) ? Math.floor(nowMs) : reference.whenThere(count);
}
