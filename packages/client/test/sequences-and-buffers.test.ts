import { describe, expect, it } from 'vitest';
import { NotificationBuffer } from '../src/subscription/notification-buffer.ts';
import { SequenceTracker } from '../src/subscription/sequence-tracker.ts';

describe('SequenceTracker', () => {
  it('finds gaps in front of messages and of keep-alives, and knows what came before', () => {
    const tracker = new SequenceTracker();
    expect(tracker.accept(1, true)).toMatchObject({ isNew: false, missingCount: 0 });
    expect(tracker.accept(1, false)).toMatchObject({ isNew: true, missingCount: 0 });
    expect(tracker.accept(4, false)).toEqual({ isNew: true, missingFrom: 2, missingCount: 2 });
    expect(tracker.accept(4, false)).toMatchObject({ isNew: false, missingCount: 0 });
    expect(tracker.accept(6, true)).toEqual({ isNew: false, missingFrom: 5, missingCount: 1 });
    expect(tracker.accept(6, false)).toMatchObject({ isNew: true, missingCount: 0 });
  });

  it('goes from the largest number to 1', () => {
    const tracker = new SequenceTracker();
    tracker.skipTo(0xffffffff);
    expect(tracker.accept(0xffffffff, false)).toMatchObject({ isNew: true, missingCount: 0 });
    expect(tracker.expected).toBe(1);
    tracker.skipTo(0xffffffff);
    expect(tracker.accept(2, false)).toEqual({ isNew: true, missingFrom: 0xffffffff, missingCount: 2 });
  });
});

describe('NotificationBuffer', () => {
  it('drops the oldest when it is full, counts it, and goes on after a loop was left', async () => {
    const buffer = new NotificationBuffer<number>(100);
    for (let value = 0; value < 250; value++) buffer.push(value);
    expect([buffer.length, buffer.dropped]).toEqual([100, 150]);
    for await (const value of buffer) if (value === 200) break;
    expect((await buffer.next()).value).toBe(201);
    buffer.end();
    const rest: number[] = [];
    for await (const value of buffer) rest.push(value);
    expect(rest).toEqual(Array.from({ length: 48 }, (_, index) => 202 + index));
  });

  it('hands values to those who wait, and ends them with the reason', async () => {
    const buffer = new NotificationBuffer<number>(1);
    const [first, second, third] = [buffer.next(), buffer.next(), buffer.next()];
    buffer.push(1);
    buffer.push(2);
    expect([(await first).value, (await second).value]).toEqual([1, 2]);
    buffer.end(new Error('gone'));
    await expect(third).rejects.toThrow('gone');
    await expect(buffer.next()).rejects.toThrow('gone');
  });
});
