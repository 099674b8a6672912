import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedRatePolicy, perSecond, type RatePolicyOptions } from '../src/index.ts';
import { aborted, ready, retry } from './decisions.ts';
import { ReferenceBucket } from './reference-bucket.ts';

function keyed(options: RatePolicyOptions & { maxKeys?: number; idleMs?: number }): KeyedRatePolicy<string> {
  return new KeyedRatePolicy({ ...options, key: (input) => input });
}

describe('KeyedRatePolicy', () => {
  it('gives every key a budget of its own', () => {
    const policy = keyed(perSecond(2));
    ready(policy.check('a', 0));
    ready(policy.check('a', 0));
    expect(aborted(policy.check('a', 0)).error).toMatchObject({ reason: 'Rate', retryAfterMs: 500 });
    ready(policy.check('b', 0));
    expect(policy.trackedKeyCount).toBe(2);
  });

  it('LM-05 refuses a new key when the table is full, and never drops or resets a bucket in use for it', () => {
    const policy = keyed({ ...perSecond(2), maxKeys: 3 });
    ready(policy.check('attacker', 0));
    ready(policy.check('attacker', 0));
    ready(policy.check('b', 0));
    ready(policy.check('c', 0));
    for (let key = 0; key < 1_000; key++) {
      expect(aborted(policy.check(`invented-${key}`, 400)).error).toMatchObject({ reason: 'KeyTableFull', retryAfterMs: 600 });
    }
    aborted(policy.check('attacker', 400));
    ready(policy.check('attacker', 500));
    expect(policy.trackedKeyCount).toBe(3);
    ready(policy.check('d', 1_000));
    expect(policy.trackedKeyCount).toBe(2);
  });

  it('LM-05 counts 65,536 keys by default and refuses the next', () => {
    const policy = keyed(perSecond(1));
    for (let key = 0; key < 65_536; key++) ready(policy.check(`${key}`, 0));
    expect(aborted(policy.check('one more', 999)).error).toMatchObject({ reason: 'KeyTableFull' });
    aborted(policy.check('0', 999));
    expect(policy.forgetIdle(999, 100)).toBe(0);
    ready(policy.check('one more', 1_000));
  });

  it('in wait mode does not forget a key whose turns are still to come', () => {
    const policy = keyed({ ...perSecond(10, 1), mode: 'wait', maxWaitMs: 1_000, maxKeys: 1 });
    ready(policy.check('a', 0));
    for (let turn = 1; turn <= 5; turn++) expect(retry(policy.check('a', 0)).atMs).toBe(turn * 100);
    aborted(policy.check('b', 550));
    expect(retry(policy.check('a', 550)).atMs).toBe(600);
    ready(policy.check('b', 800));
  });

  it('LM-05 answers as buckets that are never forgotten do, whatever the schedule', () => {
    const rate = fc.record({
      amount: fc.integer({ min: 1, max: 5 }),
      periodMs: fc.integer({ min: 1, max: 100 }),
      burst: fc.integer({ min: 1, max: 4 }),
      maxKeys: fc.integer({ min: 1, max: 5 }),
    });
    const step = fc.record({ key: fc.integer({ min: 0, max: 7 }).map(String), stepMs: fc.integer({ min: 0, max: 60 }) });
    fc.assert(
      fc.property(rate, fc.array(step, { maxLength: 120 }), (options, steps) => {
        const policy = keyed(options);
        const references = new Map<string, ReferenceBucket>();
        let nowMs = 0;
        for (const { key, stepMs } of steps) {
          nowMs += stepMs;
          const decision = policy.check(key, nowMs);
          const notFull = [...references].filter(([other, bucket]) => other !== key && !bucket.isFull(nowMs)).length;
          if (decision.kind === 'abort' && 'reason' in decision.error && decision.error.reason === 'KeyTableFull') {
            // Only a key without a live bucket may be refused this way.
            expect(references.get(key)?.isFull(nowMs) ?? true).toBe(true);
            continue;
          }
          expect(notFull).toBeLessThan(options.maxKeys);
          const reference = references.get(key) ?? new ReferenceBucket(options);
          references.set(key, reference);
          expect(decision.kind).toBe(reference.take(nowMs, 1) ? 'ready' : 'abort');
          expect(policy.trackedKeyCount).toBeLessThanOrEqual(options.maxKeys);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('names the option that is wrong', () => {
    expect(() => keyed({ ...perSecond(1), maxKeys: 0 })).toThrow(/^maxKeys: /);
    expect(() => keyed({ ...perSecond(1), idleMs: 0 })).toThrow(/^idleMs: /);
  });
});
