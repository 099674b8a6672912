import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdleTable } from '../src/index.ts';

interface Box {
  settled: boolean;
}

function boxTable(maxKeys: number, idleMs = 10): IdleTable<Box> {
  return new IdleTable<Box>({ maxKeys, idleMs, create: () => ({ settled: true }), isSettled: ({ settled }) => settled });
}

describe('IdleTable', () => {
  it('gives a new key nothing when it is full, until an entry has been idle long enough', () => {
    const table = boxTable(2);
    const a = table.use('a', 0);
    table.use('b', 5);
    expect(table.use('c', 9)).toBeUndefined();
    expect(table.use('a', 9)).toBe(a);
    expect(table.nextIdleAtMs).toBe(15);
    expect(table.use('c', 14)).toBeUndefined();
    expect(table.use('c', 15)).toBeDefined();
    expect(table.use('a', 15)).toBe(a);
    expect(table.use('b', 15)).toBeUndefined();
  });

  it('keeps an idle entry that is not settled', () => {
    const table = boxTable(1);
    const a = table.use('a', 0)!;
    a.settled = false;
    expect(table.use('b', 1_000)).toBeUndefined();
    a.settled = true;
    expect(table.use('b', 1_009)).toBeUndefined();
    expect(table.use('b', 1_010)).toBeDefined();
    expect(table.use('b', 1_010)).not.toBe(a);
  });

  it('keeps an entry as long as somebody holds it, and a hold ends once', () => {
    const table = boxTable(1);
    const [first, second] = [table.hold('a', 0)!, table.hold('a', 0)!];
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    expect(table.use('b', 100)).toBeUndefined();
    expect(table.nextIdleAtMs).toBe(Number.POSITIVE_INFINITY);
    expect(table.use('a', 150)).toBe(second.value);
    second[Symbol.dispose]();
    expect(table.use('b', 159)).toBeUndefined();
    expect(table.use('b', 160)).toBeDefined();
  });

  it('shrinks by itself while it is used, and at once when it is told to', () => {
    const table = boxTable(1_000);
    for (let key = 0; key < 500; key++) table.use(`${key}`, 0);
    for (let call = 0; call < 100; call++) table.use('busy', 10);
    expect(table.size).toBe(301);
    expect(table.dropIdle(10, 50)).toBe(50);
    expect(table.dropIdle(20, 1_000)).toBe(251);
    expect(table.size).toBe(0);
  });

  it('takes a time before the latest one for no time', () => {
    const table = boxTable(1);
    table.use('a', 100);
    expect(table.use('b', 0)).toBeUndefined();
    expect(table.use('b', 109)).toBeUndefined();
    expect(table.use('b', 110)).toBeDefined();
  });

  it('counts long keys by their first 256 characters', () => {
    const table = boxTable(3);
    const long = 'x'.repeat(256);
    expect(table.use(`${long}1`, 0)).toBe(table.use(`${long}2`, 0));
    expect(table.use('x'.repeat(255), 0)).not.toBe(table.use(long, 0));
    expect(table.use('\u{1F6A6}ä', 0)).toBe(table.use('\u{1F6A6}ä', 0));
  });

  it('remembers and forgets exactly as a plain list of last uses says, whatever the schedule', () => {
    const key = fc.integer({ min: 0, max: 5 }).map(String);
    const step = fc.record({ key, stepMs: fc.integer({ min: -5, max: 12 }), kind: fc.constantFrom('use', 'use', 'hold', 'release') });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (maxKeys, steps) => {
        const table = boxTable(maxKeys);
        const known = new Map<string, { value: Box; usedMs: number; holds: Disposable[] }>();
        let [callerMs, nowMs] = [0, Number.NEGATIVE_INFINITY];
        for (const { key, stepMs, kind } of steps) {
          if (kind === 'release') {
            const entry = known.get(key);
            const hold = entry?.holds.pop();
            hold?.[Symbol.dispose]();
            if (entry && hold && entry.holds.length === 0) entry.usedMs = nowMs;
            continue;
          }
          callerMs += stepMs;
          nowMs = Math.max(nowMs, callerMs);
          const idle = [...known].filter(([, { holds, usedMs }]) => holds.length === 0 && nowMs - usedMs >= 10);
          idle.sort(([, a], [, b]) => a.usedMs - b.usedMs);
          for (const [old] of idle) known.delete(old);
          // The table drops two entries a call, so let it catch up with the list.
          table.dropIdle(callerMs, maxKeys);
          const hold = kind === 'hold' ? table.hold(key, callerMs) : undefined;
          const value = kind === 'hold' ? hold?.value : table.use(key, callerMs);
          const entry = known.get(key);
          if (entry) {
            expect(value).toBe(entry.value);
            if (hold) entry.holds.push(hold);
            else if (entry.holds.length === 0) entry.usedMs = nowMs;
          } else if (known.size < maxKeys) {
            expect([...known.values()].some((other) => other.value === value)).toBe(false);
            known.set(key, { value: value!, usedMs: nowMs, holds: hold ? [hold] : [] });
          } else {
            expect(value).toBeUndefined();
          }
          expect(table.size).toBe(known.size);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('names the option that is wrong', () => {
    expect(() => boxTable(0)).toThrow(/^maxKeys: /);
    expect(() => boxTable(1, 0)).toThrow(/^idleMs: /);
  });
});
