import { CreateSubscriptionRequest, CreateSubscriptionResponse, PublishRequest } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { HostileTest, until } from './bystander.ts';
import { statusName } from './status-names.ts';

const MAX_PUBLISH_REQUESTS = 5;
let hostile: HostileTest;

beforeAll(async () => {
  hostile = await HostileTest.start({
    maxParkedRequestCount: 20,
    resourceIsolation: { mode: 'SharedOnly' },
    subscriptionLimits: { maxPublishRequestsPerSession: MAX_PUBLISH_REQUESTS },
  });
});

afterAll(() => hostile.end());

/** A Session with a subscription that has nothing to report for a long time. */
async function openQuiet(): Promise<RawSession> {
  const session = await RawSession.open({ port: hostile.port });
  await session.request(CreateSubscriptionRequest, { requestedPublishingInterval: 60_000 }, CreateSubscriptionResponse);
  return session;
}

const codeOf = async (session: RawSession, requestId: number): Promise<string> =>
  statusName((await session.peer.response(requestId)).header.serviceResult);

describe('Publish requests', () => {
  it('beyond the limit answer the oldest with BadTooManyPublishRequests', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const session = await openQuiet();
      const ids = Array.from({ length: MAX_PUBLISH_REQUESTS }, () => session.send(PublishRequest, {}));
      await until(() => hostile.usage['parkedRequests'] === MAX_PUBLISH_REQUESTS);
      for (let i = 0; i < 20; i++) {
        ids.push(session.send(PublishRequest, {}));
        expect(await codeOf(session, ids.shift() as number)).toBe('BadTooManyPublishRequests');
      }
      await until(() => hostile.usage['parkedRequests'] === MAX_PUBLISH_REQUESTS);
      await session.close();
      expect(hostile.usage['ParkedRequest']).toBe(0);
    });
  });

  it('without a subscription are answered with BadNoSubscription at once', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const session = await RawSession.open({ port: hostile.port });
      const ids = Array.from({ length: 50 }, () => session.send(PublishRequest, {}));
      for (const id of ids) expect(['BadNoSubscription', 'BadServerTooBusy']).toContain(await codeOf(session, id));
      expect(await codeOf(session, session.send(PublishRequest, {}))).toBe('BadNoSubscription');
      await session.close();
    });
  });

  it('of one client that fill the parked stage leave single requests of others alone', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const sessions = await Promise.all(Array.from({ length: 5 }, openQuiet));
      for (const session of sessions) for (let i = 0; i < 20; i++) session.send(PublishRequest, {});
      await until(() => (hostile.usage['ParkedRequest'] ?? 0) >= 20);
      await hostile.bystanderGoesOn();
      expect(hostile.usage['ParkedRequest']).toBeLessThanOrEqual(20);
      await Promise.all(sessions.map((session) => session.close()));
    });
  });
});
