import { describe, expect, it } from 'vitest';
import { FULL_SERVICE_LEVEL, LEAST_SERVICE_LEVEL, ServiceLevel } from '../src/server-object/service-level.ts';

/** The level after each of these numbers of Sessions, one after the other. */
function levels(maxSessionCount: number, counts: Iterable<number>): number[] {
  const level = new ServiceLevel(maxSessionCount);
  return Array.from(counts, (count) => {
    const before = level.value;
    expect(level.update(count)).toBe(level.value !== before);
    return level.value;
  });
}

describe('the ServiceLevel', () => {
  it('RL-11 is 255 up to half of the Sessions, goes down evenly from there, and is 200 with all of them', () => {
    expect(levels(100, [0, 1, 25, 50])).toEqual([255, 255, 255, 255]);
    expect(levels(100, [60, 70, 80, 90, 100])).toEqual([244, 233, 222, 211, 200]);
    expect(levels(100, [100, 90, 80, 70, 60, 50])).toEqual([200, 211, 222, 233, 244, 255]);
  });

  it('RL-11 never rises while Sessions are added, never falls while they go, and reaches both ends', () => {
    for (const max of [1, 2, 3, 7, 100, 10_000]) {
      const up = levels(
        max,
        Array.from({ length: max + 1 }, (_, count) => count),
      );
      expect(up).toEqual([...up].sort((a, b) => b - a));
      expect([up[0], up.at(-1)]).toEqual([FULL_SERVICE_LEVEL, LEAST_SERVICE_LEVEL]);
      expect(up.slice(0, -1).includes(LEAST_SERVICE_LEVEL)).toBe(false);
      expect(levels(max, [max, 0])).toEqual([LEAST_SERVICE_LEVEL, FULL_SERVICE_LEVEL]);
    }
  });

  it('RL-11 stays where it is while a few Sessions come and go', () => {
    for (const count of [52, 60, 75, 90, 97]) {
      const level = new ServiceLevel(100);
      level.update(count);
      const { value } = level;
      for (let round = 0; round < 10; round++) {
        expect([level.update(count + 2), level.update(count - 1), level.update(count)]).toEqual([false, false, false]);
      }
      expect(level.value).toBe(value);
    }
  });

  it('stays at its least with more Sessions than there should be', () => {
    expect(levels(4, [5, 4])).toEqual([200, 200]);
  });
});
