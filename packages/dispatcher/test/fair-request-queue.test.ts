import { describe, expect, it } from 'vitest';
import { FairRequestQueue, Lane, OwnerTurns, type QueuedEntry, RequestFlow } from '../src/index.ts';

class Entry implements QueuedEntry<Entry> {
  flow: RequestFlow<Entry>;
  readonly name: string;
  isWaitingForTurn = false;
  lane: Lane = Lane.Ordinary;
  order = 0;
  previousLink: Entry | undefined = undefined;
  nextLink: Entry | undefined = undefined;

  constructor(flow: RequestFlow<Entry>, name = '') {
    this.flow = flow;
    this.name = name;
  }
}

function owner(weight = 1): OwnerTurns<Entry> {
  return new OwnerTurns(weight);
}

function fill(queue: FairRequestQueue<Entry>, flow: RequestFlow<Entry>, count: number, name: string): Entry[] {
  const entries = Array.from({ length: count }, (_, index) => new Entry(flow, `${name}${index}`));
  for (const entry of entries) queue.enqueue(entry);
  return entries;
}

function takeNames(queue: FairRequestQueue<Entry>, count = Number.POSITIVE_INFINITY): string[] {
  const names: string[] = [];
  for (
    let entry = names.length < count ? queue.take() : undefined;
    entry !== undefined;
    entry = names.length < count ? queue.take() : undefined
  ) {
    names.push(entry.name);
  }
  return names;
}

/** Small repeatable generator. */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

describe('FairRequestQueue', () => {
  it('RI-08 gives busy owners turns in proportion to their weights, whatever they have waiting', () => {
    const queue = new FairRequestQueue<Entry>();
    const weights = { a: 1, b: 2, c: 5 };
    for (const [name, weight] of Object.entries(weights)) {
      const turns = owner(weight);
      fill(queue, new RequestFlow(turns), name === 'a' ? 5_000 : 800, name);
    }
    const names = takeNames(queue, 800);
    const count = (name: string) => names.filter((taken) => taken.startsWith(name)).length;
    expect([count('a'), count('b'), count('c')]).toEqual([100, 200, 500]);
  });

  it('serves an owner that comes in after one turn of each other owner', () => {
    const queue = new FairRequestQueue<Entry>();
    fill(queue, new RequestFlow(owner()), 100, 'noisy');
    fill(queue, new RequestFlow(owner()), 100, 'other');
    queue.take();
    queue.enqueue(new Entry(new RequestFlow(owner()), 'quiet'));
    expect(takeNames(queue, 3)).toContain('quiet');
  });

  it('gives an owner that asks for little the next turn each time, until what it had adds up while others wait', () => {
    const queue = new FairRequestQueue<Entry>();
    const [noisy, other, quiet] = [owner(), owner(), owner()];
    fill(queue, new RequestFlow(noisy), 100, 'noisy');
    fill(queue, new RequestFlow(other), 100, 'other');
    takeNames(queue, 2);
    const flow = new RequestFlow(quiet);
    const turnsUntilServed = (costMs: number): number => {
      queue.enqueue(new Entry(flow, 'quiet'));
      const turns = takeNames(queue, 3).indexOf('quiet');
      queue.charge(flow, costMs);
      return turns;
    };
    // `takeNames` lets both others have a turn before it asks again, but for the first time.
    expect([turnsUntilServed(0.1), turnsUntilServed(0.1)]).toEqual([0, 0]);
    queue.charge(flow, 2);
    queue.enqueue(new Entry(flow, 'quiet'));
    expect(takeNames(queue, 3).indexOf('quiet')).toBe(2);
  });

  it('serves an owner that asks for little at once for as long as the others go round meanwhile', () => {
    const queue = new FairRequestQueue<Entry>();
    for (let index = 0; index < 10; index++) fill(queue, new RequestFlow(owner()), 400, 'busy');
    takeNames(queue, 10);
    const flow = new RequestFlow(owner());
    // 0.1 ms in each third of a round: far from 2 ms a round, and far above it in all.
    for (let request = 0; request < 500; request++) {
      queue.enqueue(new Entry(flow, 'quiet'));
      expect(queue.take()?.name).toBe('quiet');
      queue.charge(flow, 0.1);
      for (let turn = 0; turn < 3; turn++) queue.charge((queue.take() as Entry).flow, 2);
    }
  });

  it('BX-01 small requests of a Session are one turn together: it comes next among its neighbours, and they wait no longer for it', () => {
    const queue = new FairRequestQueue<Entry>();
    const group = owner();
    for (let index = 0; index < 20; index++) fill(queue, new RequestFlow(group), 100, 'noisy');
    takeNames(queue, 20);
    const quiet = new RequestFlow(group);
    const turnsUntilServed = (): number => {
      queue.enqueue(new Entry(quiet, 'quiet'));
      for (let turns = 0; ; turns++) {
        const entry = queue.take() as Entry;
        queue.charge(entry.flow, entry.flow === quiet ? 0.1 : 1);
        if (entry.flow === quiet) return turns;
      }
    };
    expect([turnsUntilServed(), turnsUntilServed(), turnsUntilServed()]).toEqual([0, 0, 0]);
    expect(turnsUntilServed()).toBe(20);
    expect(turnsUntilServed()).toBe(0);
  });

  it.each([1, 2, 3, 4, 5])('BX-01 with k busy sessions in a group a session waits at most k turns of the group (seed %i)', (seed) => {
    const random = randomFrom(seed);
    const queue = new FairRequestQueue<Entry>();
    const group = owner();
    const flows = Array.from({ length: 1 + random(20) }, () => new RequestFlow(group));
    const waitedSince = new Map<RequestFlow<Entry>, number>();
    const waiting = new Map<RequestFlow<Entry>, number>();
    for (let turn = 0; turn < 5_000; turn++) {
      const flow = flows[random(flows.length)] as RequestFlow<Entry>;
      for (let i = random(3) === 0 ? random(20) : 0; i > 0; i--) {
        queue.enqueue(new Entry(flow));
        waiting.set(flow, (waiting.get(flow) ?? 0) + 1);
        if (!waitedSince.has(flow)) waitedSince.set(flow, turn);
      }
      const taken = queue.take();
      if (taken === undefined) continue;
      queue.charge(taken.flow, 1);
      expect(turn - (waitedSince.get(taken.flow) as number)).toBeLessThan(flows.length);
      const left = (waiting.get(taken.flow) as number) - 1;
      waiting.set(taken.flow, left);
      if (left > 0) waitedSince.set(taken.flow, turn + 1);
      else waitedSince.delete(taken.flow);
    }
  });

  it('keeps the order of arrival inside a session', () => {
    const queue = new FairRequestQueue<Entry>();
    const turns = owner(3);
    for (const name of ['a', 'b', 'c']) fill(queue, new RequestFlow(turns), 50, name);
    const names = takeNames(queue);
    for (const name of ['a', 'b', 'c']) {
      expect(names.filter((taken) => taken.startsWith(name))).toEqual(Array.from({ length: 50 }, (_, index) => `${name}${index}`));
    }
  });

  it('with one flow for everybody nothing overtakes the front entry, not even when that is passed over', () => {
    const queue = new FairRequestQueue<Entry>();
    const common = new RequestFlow(owner());
    fill(queue, common, 3, 'x');
    queue.passOver();
    expect(queue.peek()).toBeUndefined();
    queue.readmit();
    expect(takeNames(queue)).toEqual(['x0', 'x1', 'x2']);
  });

  it('RI-09 with one flow for everybody the next entry has its turn when the front one, which could not start, is gone', () => {
    const queue = new FairRequestQueue<Entry>();
    const [front, next] = fill(queue, new RequestFlow(owner(), true), 2, 'entry');
    queue.passOver();
    expect(queue.peek()).toBeUndefined();
    queue.remove(front as Entry);
    expect(queue.peek()).toBe(next);
  });

  it('lets others go while an owner is passed over, and gives it the next turn when it is readmitted', () => {
    const queue = new FairRequestQueue<Entry>();
    const flows = [1, 2, 3].map(() => new RequestFlow(owner()));
    for (const [index, flow] of flows.entries()) fill(queue, flow, 3, 'abc'[index] as string);
    queue.passOver();
    queue.passOver();
    expect(takeNames(queue, 2)).toEqual(['c0', 'c1']);
    queue.readmit();
    expect(takeNames(queue, 3)).toEqual(['a0', 'b0', 'c2']);
  });

  it('moves what waits in a flow to its new owner, in order', () => {
    const queue = new FairRequestQueue<Entry>();
    const [first, second] = [owner(), owner()];
    const moving = new RequestFlow(first);
    fill(queue, moving, 3, 'm');
    fill(queue, new RequestFlow(second), 3, 's');
    queue.moveFlow(moving, second);
    expect(takeNames(queue)).toEqual(['s0', 'm0', 's1', 'm1', 's2', 'm2']);
    expect(queue.length).toBe(0);
  });

  it('puts a returned entry before the others of its flow', () => {
    const queue = new FairRequestQueue<Entry>();
    const flow = new RequestFlow(owner());
    fill(queue, flow, 2, 'f');
    const returned = queue.take() as Entry;
    queue.enqueueFront(returned);
    expect(takeNames(queue)).toEqual(['f0', 'f1']);
  });

  it('gives an entry that has started its turn while its owner is passed over or its flow suspended', () => {
    const queue = new FairRequestQueue<Entry>();
    const turns = owner();
    const [flow, other] = [new RequestFlow(turns), new RequestFlow(turns)];
    fill(queue, flow, 2, 'f');
    const started = queue.take() as Entry;
    fill(queue, other, 1, 'o');
    started.isWaitingForTurn = true;
    queue.enqueueFront(started);
    queue.suspend(flow);
    while (queue.peek() !== started) queue.passOver();
    expect(queue.take()).toBe(started);
    queue.passOver();
    expect(queue.peek()).toBeUndefined();
    queue.enqueueFront(started);
    while (queue.peek() !== started) queue.passOver();
    queue.remove(started);
    started.isWaitingForTurn = false;
    queue.readmit();
    expect(takeNames(queue)).toEqual(['o0']);
    queue.resume(flow);
    expect(takeNames(queue)).toEqual(['f1']);
  });

  it('gives the turn to another lane while the front can not start, and keeps the order of arrival otherwise', () => {
    const queue = new FairRequestQueue<Entry>();
    const flow = new RequestFlow(owner());
    fill(queue, flow, 2, 'f');
    const control = new Entry(flow, 'control');
    control.lane = Lane.Control;
    queue.enqueue(control);
    fill(queue, flow, 1, 'late');
    expect(queue.peek()?.name).toBe('f0');
    queue.passOver();
    expect(takeNames(queue)).toEqual(['control']);
    const another = new Entry(flow, 'another');
    another.lane = Lane.Control;
    queue.enqueue(another);
    expect(queue.peek()).toBe(another);
    queue.readmit();
    expect(takeNames(queue)).toEqual(['f0', 'f1', 'late0', 'another']);
  });

  it('BX-01 gives nobody the turns of its neighbours for having work in another lane that finds no room either', () => {
    const queue = new FairRequestQueue<Entry>();
    const group = owner();
    const pushy = new RequestFlow(group);
    fill(queue, new RequestFlow(group), 1, 'polite');
    fill(queue, pushy, 5, 'pushy');
    const control = new Entry(pushy, 'control');
    control.lane = Lane.Control;
    queue.enqueue(control);
    // Neither kind of work finds room …
    queue.passOver();
    expect(queue.peek()).toBe(control);
    queue.passOver();
    expect(queue.peek()).toBeUndefined();
    // … and when there is room again, the turn is still that of the session that was first.
    queue.readmit();
    expect(takeNames(queue, 2)).toEqual(['polite0', 'pushy0']);
  });

  it('lets what has started go on before an older entry that comes back to its flow', () => {
    const queue = new FairRequestQueue<Entry>();
    const common = new RequestFlow(owner(), true);
    const aside = new RequestFlow(owner(), true);
    queue.suspend(aside);
    const [older] = fill(queue, aside, 1, 'older') as [Entry];
    const [started] = fill(queue, common, 1, 'started') as [Entry];
    queue.take();
    started.isWaitingForTurn = true;
    queue.enqueueFront(started);
    queue.moveEntry(older, common);
    expect(queue.peek()).toBe(started);
  });

  it('RI-09 gives an older entry that comes back before one that could not start its turn', () => {
    const queue = new FairRequestQueue<Entry>();
    const common = new RequestFlow(owner(), true);
    const aside = new RequestFlow(owner(), true);
    queue.suspend(aside);
    const [older] = fill(queue, aside, 1, 'older') as [Entry];
    fill(queue, common, 1, 'blocked');
    queue.passOver();
    expect(queue.peek()).toBeUndefined();
    queue.moveEntry(older, common);
    expect(queue.peek()).toBe(older);
  });

  it('with cost time the owner that used least for its weight is next, and one that was away saves nothing up', () => {
    const queue = new FairRequestQueue<Entry>('time');
    const [light, heavy, late] = [owner(), owner(2), owner()] as const;
    fill(queue, new RequestFlow(light), 4, 'l');
    fill(queue, new RequestFlow(heavy), 4, 'h');
    const run = (ms: number): string => {
      const entry = queue.take() as Entry;
      queue.charge(entry.flow, ms);
      return entry.name;
    };
    expect([run(10), run(10), run(10), run(10), run(10)]).toEqual(['l0', 'h0', 'h1', 'l1', 'h2']);
    fill(queue, new RequestFlow(late), 3, 'n');
    expect([run(3), run(3), run(3)]).toEqual(['n0', 'n1', 'h3']);
    expect(takeNames(queue)).toHaveLength(3);
  });

  it.each([11, 12, 13, 14])('loses and doubles nothing under random use (seed %i)', (seed) => {
    const random = randomFrom(seed);
    const queue = new FairRequestQueue<Entry>(seed % 2 === 0 ? 'time' : 'turn');
    const owners = Array.from({ length: 4 }, (_, index) => owner(index + 1));
    const flows = Array.from({ length: 12 }, (_, index) => new RequestFlow(owners[index % 4] as OwnerTurns<Entry>));
    const waiting = new Set<Entry>();
    const steps = [
      () => {
        const entry = new Entry(flows[random(flows.length)] as RequestFlow<Entry>);
        if (random(5) === 0) entry.lane = random(2) === 0 ? Lane.Control : Lane.Reconnect;
        waiting.add(entry);
        queue.enqueue(entry);
      },
      () => {
        const expected = queue.peek();
        const entry = queue.take();
        expect(entry).toBe(expected);
        if (entry === undefined) return;
        expect(waiting.delete(entry)).toBe(true);
        queue.charge(entry.flow, random(20));
        if (random(4) === 0) {
          waiting.add(entry);
          queue.enqueueFront(entry);
        }
      },
      () => {
        const entry = [...waiting][random(waiting.size)];
        if (entry === undefined) return;
        queue.remove(entry);
        waiting.delete(entry);
      },
      () => queue.passOver(),
      () => queue.suspend(flows[random(flows.length)] as RequestFlow<Entry>),
      () => queue.resume(flows[random(flows.length)] as RequestFlow<Entry>),
      () => {
        const entry = [...waiting][random(waiting.size)];
        if (entry !== undefined) queue.moveEntry(entry, flows[random(flows.length)] as RequestFlow<Entry>);
      },
      () => queue.readmit(),
      () => queue.moveFlow(flows[random(flows.length)] as RequestFlow<Entry>, owners[random(4)] as OwnerTurns<Entry>),
    ];
    for (let i = 0; i < 5_000; i++) {
      (random(3) === 0 ? steps[0] : steps[random(steps.length)])?.();
      expect(queue.length).toBe(waiting.size);
    }
    for (const flow of flows) queue.resume(flow);
    queue.readmit();
    for (let entry = queue.take(); entry !== undefined; entry = queue.take()) expect(waiting.delete(entry)).toBe(true);
    expect(waiting.size).toBe(0);
  });
});
