import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { perSecond, RateLimitReached, RatePolicy } from '../src/index.ts';
import { aborted, ready, retry } from './decisions.ts';

describe('RatePolicy', () => {
  it('LM-03 in abort mode fails what is over N per period with RateLimitReached, which says after how long to retry', () => {
    const policy = new RatePolicy({ amount: 2, periodMs: 5_000 });
    ready(policy.check('a', 0));
    ready(policy.check('b', 0));
    const { error } = aborted(policy.check('c', 100));
    expect(error).toBeInstanceOf(RateLimitReached);
    expect(error).toMatchObject({ reason: 'Rate', retryAfterMs: 2_400, retryAfterSeconds: 3 });
    const late = aborted(policy.check('c', 2_498.5));
    expect(late.retryAfterMs).toBe(2);
    expect(late.error).toBe(late.error);
    ready(policy.check('c', 2_500));
  });

  it('LM-03 in wait mode gives each input a turn at exactly the rate, first come first served', () => {
    const policy = new RatePolicy({ ...perSecond(10, 1), mode: 'wait', maxWaitMs: 1_000 });
    ready(policy.check('a', 0));
    const turns = ['b', 'c', 'd'].map((input) => retry(policy.check(input, 0)));
    expect(turns.map(({ atMs }) => atMs)).toEqual([100, 200, 300]);
    expect(turns[0]!.check(99)).toBe(turns[0]);
    for (const turn of turns) ready(turn.check(turn.atMs));
    expect(retry(policy.check('e', 300)).atMs).toBe(400);
  });

  it('in wait mode fails an input whose turn would come too late, and says when one could be had', () => {
    const policy = new RatePolicy({ ...perSecond(10, 1), mode: 'wait', maxWaitMs: 150 });
    ready(policy.check('a', 0));
    expect(retry(policy.check('b', 0)).atMs).toBe(100);
    expect(aborted(policy.check('c', 0)).error).toMatchObject({ reason: 'Rate', retryAfterMs: 50 });
    aborted(policy.check('c', 49));
    expect(retry(policy.check('c', 50)).atMs).toBe(200);
  });

  it('does not hand on a turn that is given up', () => {
    const policy = new RatePolicy({ ...perSecond(10, 1), mode: 'wait', maxWaitMs: 1_000 });
    ready(policy.check('a', 0));
    retry(policy.check('b', 0))[Symbol.dispose]();
    expect(retry(policy.check('c', 0)).atMs).toBe(200);
  });

  it('admits, in any span, no more than the burst and what the rate gives, in both modes', () => {
    const modes = fc.constantFrom({ mode: 'abort' } as const, { mode: 'wait', maxWaitMs: 500 } as const);
    const rate = fc.record({
      amount: fc.integer({ min: 1, max: 20 }),
      periodMs: fc.integer({ min: 1, max: 500 }),
      burst: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(rate, modes, fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 80 }), (options, mode, steps) => {
        const policy = new RatePolicy({ ...options, ...mode });
        const admittedMs: number[] = [];
        let nowMs = 0;
        for (const stepMs of steps) {
          nowMs += stepMs;
          const decision = policy.check(undefined, nowMs);
          if (decision.kind === 'ready') admittedMs.push(nowMs);
          if (decision.kind === 'retry') admittedMs.push(decision.atMs);
        }
        for (const [first, fromMs] of admittedMs.entries()) {
          for (const [later, toMs] of admittedMs.slice(first).entries()) {
            const allowed = options.burst + ((toMs - fromMs) * options.amount) / options.periodMs;
            // Both ends are rounded up to whole milliseconds, so a span may gain less than one.
            expect(later + 1).toBeLessThanOrEqual(allowed + options.amount / options.periodMs);
          }
        }
      }),
    );
  });

  it('names the option that is wrong', () => {
    expect(() => new RatePolicy({ ...perSecond(1), mode: 'wait', maxWaitMs: 0 })).toThrow(/^maxWaitMs: /);
    expect(() => new RatePolicy(perSecond(0))).toThrow(/^amount: /);
  });
});
