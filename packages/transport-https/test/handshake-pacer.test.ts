import { ManualClock } from '@bulkhead/testkit';
import { describe, expect, it } from 'vitest';
import { HandshakePacer } from '../src/port/handshake-pacer.ts';

function pacerAt(perSecond: number): {
  readonly clock: ManualClock;
  readonly pacer: HandshakePacer;
  readonly begun: string[];
  readonly begin: (caller: string) => void;
} {
  const clock = new ManualClock();
  const pacer = new HandshakePacer({ clock, timers: clock, perSecond });
  const begun: string[] = [];
  return { clock, pacer, begun, begin: (caller) => pacer.begin(caller, () => begun.push(caller)) };
}

describe('TLS handshakes', () => {
  it('begin at once up to a fifth of a second’s, then at their rate', () => {
    const { clock, begun, begin } = pacerAt(100);
    for (let count = 0; count < 45; count++) begin('storm');
    expect(begun).toHaveLength(20);
    clock.advance(100);
    expect(begun).toHaveLength(30);
    clock.advance(10_000);
    expect(begun).toHaveLength(45);
    expect(clock.pendingTimers).toBe(0);
  });

  it('begin by turns, so that one who comes again and again waits behind himself alone', () => {
    const { clock, begun, begin } = pacerAt(100);
    for (let count = 0; count < 100; count++) begin('storm');
    begin('a');
    begin('b');
    clock.advance(40);
    expect(begun.slice(20)).toEqual(['storm', 'a', 'b', 'storm']);
  });

  it('wait a quarter of a second’s of one caller and a second’s in all, but one of each in any case', () => {
    const { clock, pacer, begun } = pacerAt(100);
    const counts = new Map<string, number>();
    for (let count = 0; count < 600; count++) {
      const caller = `caller ${count % 6}`;
      if (pacer.begin(caller, () => begun.push(caller))) counts.set(caller, (counts.get(caller) ?? 0) + 1);
    }
    expect(pacer.waitingCount).toBe(100);
    for (let count = 0; count < 10; count++) expect(pacer.begin(`newcomer ${count}`, () => begun.push('newcomer'))).toBe(true);
    expect(pacer.begin('newcomer 0', () => undefined)).toBe(false);
    expect([...counts.values()].every((count) => count <= 30)).toBe(true);
    clock.advance(10_000);
    expect(begun).toHaveLength(130);
    for (let count = 0; count < 100; count++) pacer.begin('storm', () => undefined);
    expect(pacer.waitingCount).toBe(25);
    pacer.close();
  });

  it('do not begin any more once the port is closed', () => {
    const { clock, pacer, begun, begin } = pacerAt(5);
    for (let count = 0; count < 3; count++) begin(`${'abc'[count]}`);
    expect(pacer.waitingCount).toBe(2);
    pacer.close();
    clock.advance(10_000);
    expect(begun).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });
});
