import { perSecond } from '@bulkhead/limits';
import { ManualClock } from '@bulkhead/testkit';
import { describe, expect, it } from 'vitest';
import { PacedTurns } from '../src/paced-turns.ts';

interface Paced {
  readonly clock: ManualClock;
  readonly turns: PacedTurns;
  readonly begun: string[];
  readonly wait: (caller: string, cost?: number) => Disposable | undefined;
}

function turnsAt(rate: number, burst: number): Paced {
  const clock = new ManualClock();
  const turns = new PacedTurns({ clock, timers: clock, rate: perSecond(rate, burst) });
  const begun: string[] = [];
  return { clock, turns, begun, wait: (caller, cost = 1) => turns.wait(caller, cost, () => begun.push(caller)) };
}

describe('paced turns', () => {
  it('let what the burst allows go on at once, and the rest at their rate', () => {
    const { clock, turns, begun, wait } = turnsAt(1000, 10);
    for (let count = 0; count < 10; count++) expect(wait('a')).toBeUndefined();
    for (let count = 0; count < 100; count++) expect(wait('a')).toBeDefined();
    clock.advance(50);
    expect(begun).toHaveLength(50);
    expect(turns.waitingOf('a')).toBe(50);
    clock.advance(1000);
    expect(begun).toHaveLength(100);
    expect(turns.waitingCount).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('go round between callers, whoever has more', () => {
    const { clock, begun, wait } = turnsAt(1000, 1);
    expect(wait('a')).toBeUndefined();
    for (let count = 0; count < 50; count++) wait('a');
    wait('b');
    wait('c');
    clock.advance(5);
    expect(begun).toEqual(['a', 'b', 'c', 'a', 'a']);
  });

  it('take as long as they cost', () => {
    const { clock, begun, wait } = turnsAt(1000, 100);
    expect(wait('a', 100)).toBeUndefined();
    wait('a', 60);
    wait('b', 10);
    clock.advance(59);
    expect(begun).toEqual([]);
    clock.advance(1);
    expect(begun).toEqual(['a']);
    clock.advance(10);
    expect(begun).toEqual(['a', 'b']);
  });

  it('cost nothing when they are given up', () => {
    const { clock, turns, begun, wait } = turnsAt(1000, 100);
    wait('a', 100);
    const waiting = Array.from({ length: 20 }, () => wait('a', 100));
    wait('b', 1);
    for (const each of waiting) each?.[Symbol.dispose]();
    clock.advance(101);
    expect(begun).toEqual(['b']);
    expect(turns.waitingCount).toBe(0);
  });
});
