import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConcurrencyReached, ConcurrentPolicy, ExponentialBackoff } from '../src/index.ts';
import { aborted, ready, retry } from './decisions.ts';

describe('ConcurrentPolicy', () => {
  it('LM-02 lets at most `max` be in flight and refuses the next until a guard is disposed', () => {
    const policy = new ConcurrentPolicy({ max: 2 });
    const first = ready(policy.check('a', 0));
    ready(policy.check('b', 0));
    const refusal = aborted(policy.check('c', 0));
    expect(refusal.error).toMatchObject({ name: 'ConcurrencyReached', max: 2 });
    expect(refusal.error).toBe(refusal.error);
    first.guard[Symbol.dispose]();
    ready(policy.check('c', 0));
    expect(policy.inFlight).toBe(2);
  });

  it('LM-02 with a backoff tells the input when to come again, longer each time, and refuses it in the end', () => {
    const policy = new ConcurrentPolicy({ max: 1, backoff: new ExponentialBackoff({ firstMs: 10, maxMs: 30, maxAttempts: 3 }) });
    const holder = ready(policy.check('a', 0));
    const first = retry(policy.check('b', 100));
    expect(first.atMs).toBe(110);
    expect(first.check(109)).toBe(first);
    const second = retry(first.check(110));
    expect(second.atMs).toBe(130);
    const third = retry(second.check(130));
    expect(third.atMs).toBe(160);
    expect(aborted(third.check(160)).error).toBeInstanceOf(ConcurrencyReached);

    const waiter = retry(policy.check('c', 200));
    holder.guard[Symbol.dispose]();
    ready(waiter.check(210));
    expect(policy.inFlight).toBe(1);
  });

  it('credits a guard once however often it is disposed', () => {
    const policy = new ConcurrentPolicy({ max: 2 });
    const { guard } = ready(policy.check('a', 0));
    ready(policy.check('b', 0));
    guard[Symbol.dispose]();
    guard[Symbol.dispose]();
    expect(policy.inFlight).toBe(1);
  });

  it('never has more in flight than `max`, and counts those that are, whatever the schedule', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 100 }), (max, steps) => {
        const policy = new ConcurrentPolicy({ max });
        const held: Disposable[] = [];
        for (const step of steps) {
          if (step >= 0) {
            const decision = policy.check(undefined, 0);
            expect(decision.kind).toBe(held.length < max ? 'ready' : 'abort');
            if (decision.kind === 'ready') held.push(decision.guard);
          } else {
            held.splice(-step % Math.max(held.length, 1), 1).forEach((guard) => {
              guard[Symbol.dispose]();
            });
          }
          expect(policy.inFlight).toBe(held.length);
        }
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses max %s', (max) => {
    expect(() => new ConcurrentPolicy({ max })).toThrow(/^max: /);
  });
});

describe('ExponentialBackoff', () => {
  it('spreads each delay over its upper half when it is given randomness', () => {
    let random = 0;
    const backoff = new ExponentialBackoff({ firstMs: 100, maxMs: 1_000, maxAttempts: 9, factor: 3, random: () => random });
    expect([0, 1, 2, 3].map((attempt) => backoff.delayMs(attempt))).toEqual([50, 150, 450, 500]);
    random = 0.5;
    expect(backoff.delayMs(0)).toBe(75);
    expect(backoff.delayMs(9)).toBeUndefined();
  });

  it.each([
    [{ firstMs: 0, maxMs: 1, maxAttempts: 1 }, /^firstMs: /],
    [{ firstMs: 2, maxMs: 1, maxAttempts: 1 }, /^maxMs: /],
    [{ firstMs: 1, maxMs: 1, maxAttempts: 0 }, /^maxAttempts: /],
    [{ firstMs: 1, maxMs: 1, maxAttempts: 1, factor: 0.5 }, /^factor: /],
  ])('names the option that is wrong in %j', (options, message) => {
    expect(() => new ExponentialBackoff(options)).toThrow(message);
  });
});
