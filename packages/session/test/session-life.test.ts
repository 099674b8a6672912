import { SecurityPolicies } from '@bulkhead/security';
import { CloseSessionRequest, NodeId, StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { expectCode, Harness, TestChannel, UNKNOWN_TOKEN } from './harness.ts';

const { None } = SecurityPolicies;

describe('the life of a Session', () => {
  it('is closed when it is used before it is activated', async () => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    expect(() => harness.resolve(session, channel)).toThrow(expect.objectContaining({ statusCode: StatusCodes.BadSessionNotActivated }));
    expect(() => harness.resolve(session, channel)).toThrow(expect.objectContaining({ statusCode: StatusCodes.BadSessionIdInvalid }));
    expect(harness.closed).toEqual(['Session 1 usedBeforeActivation true']);
  });

  it('can not be closed by using it from a channel it does not belong to', async () => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    expect(() => harness.resolve(session, new TestChannel(None))).toThrow(
      expect.objectContaining({ statusCode: StatusCodes.BadSecureChannelIdInvalid }),
    );
    await harness.activate(session, channel);
  });

  it.each([true, false])('CloseSession ends it at once, deleteSubscriptions %s', async (deleteSubscriptions) => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    const context = harness.resolve(session, channel, false);
    const request = CloseSessionRequest.create({ deleteSubscriptions });
    harness.manager.closeSession(request, context);
    expect(context.isActivated).toBe(false);
    expect(harness.manager.bySessionId(context.sessionId)).toBeUndefined();
    expect(() => harness.manager.closeSession(request, context)).toThrow(
      expect.objectContaining({ statusCode: StatusCodes.BadSessionIdInvalid }),
    );
    expect(harness.closed).toEqual([`Session 1 closed ${deleteSubscriptions}`]);
  });

  it('ends without a request for its timeout, its Subscriptions kept; requests keep it', async () => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    const [kept, idle] = [await harness.create(channel), await harness.create(channel, undefined, { requestedSessionTimeout: 20_000 })];
    for (const session of [kept, idle]) await harness.activate(session, channel);
    for (let i = 0; i < 10; i++) {
      harness.runtime.advance(10_000);
      harness.resolve(kept, channel);
    }
    expect(harness.closed).toEqual(['Session 2 timeout false']);
    harness.runtime.advance(60_000 + 250);
    expect(harness.closed).toEqual(['Session 2 timeout false', 'Session 1 timeout false']);
    expect(harness.runtime.pendingTimers).toBe(0);
  });

  it('is not found any more from its deadline on, even before the timer looked', async () => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    await harness.activate(session, channel);
    harness.runtime.nowMs += 60_000;
    expect(() => harness.resolve(session, channel)).toThrow(expect.objectContaining({ statusCode: StatusCodes.BadSessionIdInvalid }));
    expect(harness.closed).toEqual(['Session 1 timeout false']);
  });

  it('ends when it is not activated in time, whatever is asked of it meanwhile', async () => {
    const harness = new Harness(undefined, { limits: { activationTimeoutMs: 5_000 } });
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    harness.runtime.advance(4_000);
    harness.resolve(session, channel, false);
    harness.runtime.advance(1_250);
    expect(harness.closed).toEqual(['Session 1 neverActivated true']);
  });

  it('outlives its channel when it was activated, and ends with it when it was not', async () => {
    const harness = new Harness(undefined);
    const [channel, next] = [new TestChannel(None), new TestChannel(None)];
    const [active] = [await harness.create(channel), await harness.create(channel)];
    await harness.activate(active, channel);
    channel.isOpen = false;
    harness.manager.channelClosed(channel);
    expect(harness.closed).toEqual(['Session 2 neverActivated true']);
    await harness.activate(active, next);
    expect(harness.resolve(active, next).isActivated).toBe(true);
  });

  it('ends with the manager, which leaves no timer behind and takes no Session any more', async () => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    await harness.create(channel);
    harness.manager.onClosed(() => {
      throw new Error('broken listener');
    });
    harness.manager.dispose();
    harness.manager.dispose();
    expect(harness.closed).toEqual(['Session 1 shutdown true']);
    expect(harness.runtime.logged).toEqual(['session.listener-failed']);
    expect(harness.runtime.pendingTimers).toBe(0);
    await expectCode(harness.create(channel), StatusCodes.BadServerHalted);
  });

  it('is found by its exact token only', async () => {
    const harness = new Harness(undefined);
    const channel = new TestChannel(None);
    const session = await harness.create(channel);
    await harness.activate(session, channel);
    const token = session.response.authenticationToken.identifier as Buffer;
    const guesses = [
      NodeId.NULL,
      NodeId.opaque(0, token.subarray(0, 31)),
      NodeId.opaque(0, Buffer.concat([token, Buffer.alloc(1)])),
      NodeId.opaque(1, token),
      NodeId.string(0, token.toString('latin1')),
      UNKNOWN_TOKEN,
    ];
    for (const guess of guesses) {
      expect(() => harness.manager.resolve(guess, channel, true, harness.runtime.nowMs)).toThrow(
        expect.objectContaining({ statusCode: StatusCodes.BadSessionIdInvalid }),
      );
    }
    expect(harness.resolve(session, channel).isActivated).toBe(true);
  });
});
