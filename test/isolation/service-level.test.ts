import { BuiltInType, PublishRequest, PublishResponse } from '@bulkhead/types';
import { afterEach, expect, it } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { dataChangesOf, monitor, subscribe } from '../support/raw-subscriptions.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const SERVICE_LEVEL = 'i=2267';
const MAX_SESSIONS = 10;

let test: TestServer;

afterEach(() => test.end());

/** The levels pushed until one is `last`. */
async function levelsUntil(session: RawSession, last: number): Promise<unknown[]> {
  const levels: unknown[] = [];
  while (levels.at(-1) !== last) {
    for (const { value } of dataChangesOf(await session.request(PublishRequest, {}, PublishResponse))) levels.push(value.value?.value);
  }
  return levels;
}

const readLevel = async (session: RawSession): Promise<unknown> => {
  const [result] = (await session.read(SERVICE_LEVEL)).results ?? [];
  return { type: result?.value?.type, level: result?.value?.value };
};

it('RL-11 ServiceLevel goes down as Sessions fill the server, comes up as they go, and tells those that subscribed each time', async () => {
  test = await startTestServer(undefined, { maxSessionCount: MAX_SESSIONS });
  const watcher = await RawSession.open({ port: test.port });
  expect(await readLevel(watcher)).toEqual({ type: BuiltInType.Byte, level: 255 });
  // With a queue that holds every change.
  await monitor(watcher, await subscribe(watcher, 50, 100, 300), SERVICE_LEVEL, { queueSize: 100 });
  expect(await levelsUntil(watcher, 255)).toEqual([255]);
  const others: RawSession[] = [];
  for (let count = 1; count < MAX_SESSIONS; count++) others.push(await RawSession.open({ port: test.port }));
  expect(await levelsUntil(watcher, 200)).toEqual([244, 233, 222, 211, 200]);
  expect(await readLevel(watcher)).toEqual({ type: BuiltInType.Byte, level: 200 });
  for (const session of others) await session.close();
  expect(await levelsUntil(watcher, 255)).toEqual([211, 222, 233, 244, 255]);
  await watcher.close();
});
