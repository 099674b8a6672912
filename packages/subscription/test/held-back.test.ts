import { describe, expect, it } from 'vitest';
import { createSession, Harness, isKeepAlive, publishes, valuesOf } from './harness.ts';

/** A Subscription with one item whose queue holds five values; its first message is out. */
async function subscribed(): Promise<Harness> {
  const harness = new Harness();
  harness.source.add('a');
  harness.monitor(harness.subscribe({ interval: 100, keepAlive: 10, lifetime: 100 }), 'a', { queue: 5 });
  await harness.publish();
  await harness.advance(100);
  return harness;
}

describe('a Session whose client takes nothing', () => {
  it('BX-07 uses its Publish requests for keep-alives only, one per keep-alive time', async () => {
    const harness = await subscribed();
    const waiting = await publishes(harness, 5);
    harness.manager.channelHeldBack(harness.session.channel, true);
    for (let cycle = 1; cycle <= 35; cycle++) {
      harness.source.targets.get('a')?.set(cycle);
      await harness.advance(100);
    }
    const answered = waiting.filter(({ isSettled }) => isSettled);
    expect(answered.length).toBeGreaterThanOrEqual(2);
    expect(answered.length).toBeLessThanOrEqual(3);
    for (const publish of answered) expect(isKeepAlive(publish)).toBe(true);
  });

  it('BX-07 loses the oldest values of its own queues meanwhile and gets the rest, in order, once it takes them again', async () => {
    const harness = await subscribed();
    const [publish, second] = await publishes(harness, 2);
    harness.manager.channelHeldBack(harness.session.channel, true);
    for (let value = 1; value <= 8; value++) {
      harness.source.targets.get('a')?.set(value);
      await harness.advance(50);
    }
    expect([publish?.isSettled, second?.isSettled]).toEqual([false, false]);
    harness.manager.channelHeldBack(harness.session.channel, false);
    await harness.advance(0);
    expect(publish === undefined ? [] : valuesOf(publish)).toEqual([4, 5, 6, 7, 8]);
    expect(second?.isSettled).toBe(false);
    harness.source.targets.get('a')?.set(9);
    await harness.advance(100);
    expect(second === undefined ? [] : valuesOf(second)).toEqual([9]);
  });

  it('BX-07 answers no new Publish with Notifications either, and holds up no other Session', async () => {
    const harness = await subscribed();
    const other = createSession('other');
    harness.monitor(harness.subscribe({ interval: 100 }, other), 'a', {}, other);
    const ofOther = await harness.publish(other);
    harness.manager.channelHeldBack(harness.session.channel, true);
    harness.source.targets.get('a')?.set(1);
    await harness.advance(100);
    const own = await harness.publish();
    expect(own.isSettled).toBe(false);
    expect(valuesOf(ofOther)).toEqual([1]);
  });

  it('lets its Subscriptions end when it has no Publish request left for a lifetime', async () => {
    const harness = new Harness();
    harness.source.add('a');
    harness.monitor(harness.subscribe({ interval: 100, keepAlive: 2, lifetime: 6 }), 'a');
    harness.manager.channelHeldBack(harness.session.channel, true);
    await harness.advance(2000);
    for (let cycle = 0; cycle < 10; cycle++) await harness.advance(100);
    expect(harness.manager.totals.subscriptions).toBe(0);
  });
});
