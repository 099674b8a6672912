import type { SessionContext } from '@bulkhead/contracts';
import { describe, expect, it } from 'vitest';
import { ContinuationPoints } from '../src/continuation-points.ts';

const sessions = [{}, {}] as unknown as [SessionContext, SessionContext];

function points(maxPerSession: number): ContinuationPoints<string> {
  let count = 0;
  return new ContinuationPoints({ bytes: (byteCount) => Buffer.alloc(byteCount, ++count) }, maxPerSession);
}

describe('ContinuationPoints', () => {
  it('gives the state back once, and only to its Session', () => {
    const table = points(5);
    const [mine, other] = sessions;
    const point = table.add(mine, {}, 'state') as Buffer;
    expect(table.take(other, point)).toBeUndefined();
    expect(table.take(mine, point)).toBe('state');
    expect(table.take(mine, point)).toBeUndefined();
    expect(table.size).toBe(0);
  });

  it('has as many for one request as a Session may have, whatever others hold', () => {
    const table = points(2);
    const [mine, other] = sessions;
    const request = {};
    expect([1, 2, 3].map(() => table.add(mine, request, 'a') !== undefined)).toEqual([true, true, false]);
    expect(table.add(other, {}, 'b')).toBeDefined();
    table.dropSession(mine);
    expect(table.size).toBe(1);
  });

  it('frees the oldest of earlier requests for a new one', () => {
    const table = points(2);
    const [mine] = sessions;
    const [oldest, newer] = ['oldest', 'newer'].map((state) => table.add(mine, {}, state) as Buffer);
    const added = table.add(mine, {}, 'added') as Buffer;
    expect(table.take(mine, oldest as Buffer)).toBeUndefined();
    expect(table.take(mine, newer as Buffer)).toBe('newer');
    expect(table.take(mine, added)).toBe('added');
    expect(table.size).toBe(0);
  });

  it.each([null, Buffer.alloc(0), Buffer.alloc(15), Buffer.alloc(17)])('knows no point of other lengths', (point) => {
    const table = points(2);
    table.add(sessions[0], {}, 'a');
    expect(table.take(sessions[0], point)).toBeUndefined();
  });
});
