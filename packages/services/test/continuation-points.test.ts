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

  it('BX-08 counts points for the owner of the Session, and has none for one without memory left', () => {
    const left: Record<string, number> = { greedy: 2048, modest: 2048 };
    const open = (key: string) => {
      let charged = 0;
      const change = (bytes: number): boolean => {
        if (bytes > (left[key] ?? 0)) return false;
        charged += bytes;
        left[key] = (left[key] ?? 0) - bytes;
        return true;
      };
      const release = (bytes: number): void => void change(-bytes);
      return { usedBytes: 0, tryCharge: change, release, [Symbol.dispose]: () => release(charged) };
    };
    const [greedy, modest] = sessions;
    const retained = { accounts: { open }, ownerKeyOf: (session: SessionContext) => (session === greedy ? 'greedy' : 'modest') };
    let count = 0;
    const table = new ContinuationPoints<string>({ bytes: (byteCount) => Buffer.alloc(byteCount, ++count) }, 10, retained);
    const request = {};
    const added = [1, 2, 3].map(() => table.add(greedy, request, 'a'));
    expect(added.map((point) => point !== undefined)).toEqual([true, true, false]);
    expect(table.add(modest, {}, 'b')).toBeDefined();
    // An earlier request's point is given up for a later one.
    expect(table.add(greedy, {}, 'c')).toBeDefined();
    expect(table.take(greedy, added[0] as Buffer)).toBeUndefined();
    expect(table.take(greedy, added[1] as Buffer)).toBe('a');
    expect(left['greedy']).toBe(1024);
    for (const session of sessions) table.dropSession(session);
    expect(left).toEqual({ greedy: 2048, modest: 2048 });
  });
});
