import { DataValue, StatusCodes, Variant } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { MonitoredItemQueue } from '../src/monitored-item-queue.ts';

const OVERFLOW = 0x480;

/** `3!` is the value 3 with the overflow bit. */
function drain(queue: MonitoredItemQueue): string[] {
  const texts: string[] = [];
  for (let value = queue.dequeue(); value !== undefined; value = queue.dequeue()) {
    texts.push(`${String(value.value?.value)}${(value.statusCode & OVERFLOW) === OVERFLOW ? '!' : ''}`);
  }
  return texts;
}

function filled(size: number, discardOldest: boolean, count: number): MonitoredItemQueue {
  const queue = new MonitoredItemQueue(size, discardOldest);
  for (let i = 1; i <= count; i++) queue.enqueue(new DataValue(Variant.double(i)));
  return queue;
}

describe('MonitoredItemQueue', () => {
  it.each([
    { size: 1, discardOldest: true, count: 1, expected: ['1'] },
    { size: 1, discardOldest: true, count: 4, expected: ['4'] },
    { size: 1, discardOldest: false, count: 4, expected: ['4'] },
    { size: 2, discardOldest: true, count: 2, expected: ['1', '2'] },
    { size: 2, discardOldest: true, count: 3, expected: ['2!', '3'] },
    { size: 2, discardOldest: true, count: 4, expected: ['3!', '4'] },
    { size: 2, discardOldest: false, count: 3, expected: ['1', '3!'] },
    { size: 2, discardOldest: false, count: 4, expected: ['1', '4!'] },
    { size: 6, discardOldest: true, count: 7, expected: ['2!', '3', '4', '5', '6', '7'] },
    { size: 6, discardOldest: false, count: 8, expected: ['1', '2', '3', '4', '5', '8!'] },
  ])('of $size, discardOldest $discardOldest, keeps $expected after $count values', ({ size, discardOldest, count, expected }) => {
    expect(drain(filled(size, discardOldest, count))).toEqual(expected);
  });

  it.each([
    { discardOldest: true, size: 3, expected: ['3!', '4', '5'], lost: 2 },
    { discardOldest: false, size: 3, expected: ['1', '2', '5!'], lost: 2 },
    { discardOldest: true, size: 1, expected: ['5'], lost: 4 },
    { discardOldest: false, size: 8, expected: ['1', '2', '3', '4', '5'], lost: 0 },
  ])('shrinks or grows from 5 to $size, discardOldest $discardOldest, leaving $expected', ({ discardOldest, size, expected, lost }) => {
    const queue = filled(5, discardOldest, 5);
    expect(queue.resize(size, discardOldest)).toBe(lost);
    expect(queue.length).toBe(expected.length);
    expect(drain(queue)).toEqual(expected);
  });

  it('keeps the status it adds the overflow bit to', () => {
    const queue = new MonitoredItemQueue(2, false);
    for (let i = 0; i < 3; i++) queue.enqueue(new DataValue(Variant.double(i), StatusCodes.UncertainSimulatedValue));
    queue.dequeue();
    expect(queue.dequeue()?.statusCode).toBe((StatusCodes.UncertainSimulatedValue | OVERFLOW) >>> 0);
  });

  it('stays in order while it is filled and emptied in turns', () => {
    const queue = new MonitoredItemQueue(5, true);
    const taken: unknown[] = [];
    for (let i = 0; i < 100; i++) {
      queue.enqueue(new DataValue(Variant.double(i)));
      if (i % 3 !== 0) taken.push(queue.dequeue()?.value?.value);
      if (i % 7 === 0) while (queue.length > 0) taken.push(queue.dequeue()?.value?.value);
    }
    while (queue.length > 0) taken.push(queue.dequeue()?.value?.value);
    expect(taken).toEqual([...taken].sort((a, b) => (a as number) - (b as number)));
  });
});
