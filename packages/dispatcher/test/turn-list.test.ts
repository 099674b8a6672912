import { describe, expect, it } from 'vitest';
import { TurnList, type TurnTaker } from '../src/turn-list.ts';

class Taker implements TurnTaker<Taker> {
  readonly name: string;
  placedAt = 0;
  servedAt = -1;
  sparseMs = 0;
  sparseFrom = 0;
  previousLink: Taker | undefined = undefined;
  nextLink: Taker | undefined = undefined;

  constructor(name: string) {
    this.name = name;
  }
}

function takersOf(...names: string[]): Taker[] {
  return names.map((name) => new Taker(name));
}

/** One turn of whoever is first. */
function turn(list: TurnList<Taker>): string | undefined {
  const { first } = list;
  list.rotate();
  if (first !== undefined) list.charge(first, 1);
  return first?.name;
}

describe('TurnList', () => {
  it('gives who comes in the next turn, one after the other, before those who wait for another one', () => {
    const list = new TurnList<Taker>(1);
    const [a, b, c, d] = takersOf('a', 'b', 'c', 'd') as [Taker, Taker, Taker, Taker];
    list.enter(a);
    list.enter(b);
    expect([turn(list), turn(list), turn(list)]).toEqual(['a', 'b', 'a']);
    list.enter(c);
    list.enter(d);
    expect(list.isFirstSparse).toBe(true);
    expect([turn(list), turn(list)]).toEqual(['c', 'd']);
    expect(list.isFirstSparse).toBe(false);
    expect([turn(list), turn(list), turn(list), turn(list), turn(list)]).toEqual(['b', 'a', 'c', 'd', 'b']);
  });

  it('gives who leaves and comes back no second turn before somebody who waits had one', () => {
    const list = new TurnList<Taker>(1);
    const [a, b, c] = takersOf('a', 'b', 'c') as [Taker, Taker, Taker];
    for (const taker of [a, b, c]) list.enter(taker);
    turn(list);
    turn(list);
    turn(list);
    const taken: (string | undefined)[] = [];
    for (let count = 0; count < 6; count++) {
      const { first } = list;
      taken.push(turn(list));
      if (first !== a) continue;
      list.remove(a);
      list.enter(a);
    }
    expect(taken).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('knows who is left when those leave that came in last', () => {
    const list = new TurnList<Taker>(1);
    const [a, b, c] = takersOf('a', 'b', 'c') as [Taker, Taker, Taker];
    list.enter(a);
    turn(list);
    list.enter(b);
    list.enter(c);
    list.remove(c);
    expect(list.isFirstSparse).toBe(true);
    list.remove(b);
    expect(list.isFirstSparse).toBe(false);
    expect(list.first).toBe(a);
    list.remove(a);
    expect(list.first).toBeUndefined();
  });
});
