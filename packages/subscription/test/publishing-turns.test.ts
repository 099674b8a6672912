import { describe, expect, it } from 'vitest';
import { createSession, Harness, type Publish, publishes, reported, settle } from './harness.ts';

describe('cycles that end at one instant', () => {
  it.each(['lxh', 'lhx', 'xlh', 'xhl', 'hlx', 'hxl'])(
    'compete by priority while another Subscription times out (created as %s)',
    async (order) => {
      const harness = new Harness();
      const abandoned = createSession('abandoned');
      harness.source.add('a');
      const ids = new Map<string, number>();
      for (const name of order) {
        if (name === 'x') ids.set(name, harness.subscribe({ keepAlive: 1, lifetime: 3 }, abandoned));
        else ids.set(name, harness.subscribe({ priority: name === 'l' ? 1 : 9 }));
      }
      for (const name of ['l', 'h']) harness.monitor(ids.get(name) as number, 'a');
      await publishes(harness, 2);
      await harness.advance(250);
      harness.source.targets.get('a')?.set(1);
      const publish = await harness.publish();
      await harness.advance(50);
      expect(harness.manager.totals.subscriptions).toBe(2);
      expect(publish.body?.subscriptionId).toBe(ids.get('h'));
    },
  );
});

describe('many Notifications at once', () => {
  it('go out in several turns of the event loop, in order, Sessions taking turns', async () => {
    const harness = new Harness();
    const other = createSession('other');
    for (const session of [harness.session, other]) {
      const id = harness.subscribe({ max: 1_000 }, session);
      harness.source.add(session.sessionName);
      for (let handle = 0; handle < 8_000; handle++) harness.monitor(id, session.sessionName, { handle }, session);
    }
    const publishes: [Publish[], Publish[]] = [[], []];
    for (let i = 0; i < 9; i++) {
      publishes[0].push(await harness.publish());
      publishes[1].push(await harness.publish(other));
    }
    harness.runtime.clock.advance(100);
    await settle();
    const answered = (): number[] => publishes.map((ofSession) => ofSession.filter(({ isSettled }) => isSettled).length);
    expect(answered()).toEqual([5, 0]);
    const late = await harness.publish();
    expect(late.isSettled).toBe(false);
    harness.runtime.turns.runAll();
    await settle();
    expect(answered()).toEqual([8, 8]);
    for (const ofSession of publishes) {
      expect(ofSession.map(({ body }) => body?.notificationMessage.sequenceNumber)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, undefined]);
      expect(ofSession.flatMap(reported).map(({ handle }) => handle)).toEqual(Array.from({ length: 8_000 }, (_, i) => i));
    }
  });
});
