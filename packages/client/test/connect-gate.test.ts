import { describe, expect, it } from 'vitest';
import { ConcurrencyConnectGate } from '../src/index.ts';

const never = new AbortController().signal;

describe('ConcurrencyConnectGate', () => {
  it('CL-04 lets so many in, makes all others wait in order, and turns nobody away', async () => {
    const gate = new ConcurrencyConnectGate(3);
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    const establish = async (index: number): Promise<void> => {
      using _pass = await gate.enter(new AbortController().signal);
      order.push(index);
      most = Math.max(most, ++inside);
      await Promise.resolve();
      inside--;
    };
    const all = Array.from({ length: 5000 }, (_, index) => establish(index));
    expect(gate.waiting).toBe(4997);
    await Promise.all(all);
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 5000 }, (_, index) => index));
    expect([gate.active, gate.waiting]).toEqual([0, 0]);
  });

  it('CL-04 forgets who gives up waiting, and counts a pass that is disposed twice once', async () => {
    const gate = new ConcurrencyConnectGate(1);
    const pass = await gate.enter(never);
    const abort = new AbortController();
    const given = gate.enter(abort.signal);
    const next = gate.enter(never);
    abort.abort();
    await expect(given).rejects.toThrow('aborted');
    expect(gate.waiting).toBe(1);
    pass[Symbol.dispose]();
    const second = await next;
    pass[Symbol.dispose]();
    expect(gate.active).toBe(1);
    second[Symbol.dispose]();
    expect(gate.active).toBe(0);
  });

  it('CL-04 takes an integer of 1 or more', () => {
    for (const limit of [0, -1, 1.5, Number.NaN]) expect(() => new ConcurrencyConnectGate(limit)).toThrow(RangeError);
  });
});
