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
    const point = table.add(mine, 'state');
    expect(table.take(other, point)).toBeUndefined();
    expect(table.take(mine, point)).toBe('state');
    expect(table.take(mine, point)).toBeUndefined();
    expect(table.size).toBe(0);
  });

  it('has room for the Session up to its limit, whatever others hold', () => {
    const table = points(2);
    const [mine, other] = sessions;
    table.add(mine, 'a');
    expect(table.hasRoom(mine)).toBe(true);
    table.add(mine, 'b');
    expect(table.hasRoom(mine)).toBe(false);
    expect(table.hasRoom(other)).toBe(true);
    table.dropSession(mine);
    expect(table.size).toBe(0);
  });

  it.each([null, Buffer.alloc(0), Buffer.alloc(15), Buffer.alloc(17)])('knows no point of other lengths', (point) => {
    const table = points(2);
    table.add(sessions[0], 'a');
    expect(table.take(sessions[0], point)).toBeUndefined();
  });
});
