import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectStorm, METHODS, NODE_PREFIX } from '@bulkhead/benchmarks';
import { PublishRequest, PublishResponse } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { variable } from '../support/publishing.ts';
import { RawSession } from '../support/raw-session.ts';
import { dataChangesOf, monitor, subscribe } from '../support/raw-subscriptions.ts';
import { startTestServer } from '../support/test-server.ts';

const SUBSCRIBER = '127.0.0.9';
const CHANGES = 30;
const CHANGE_EVERY_MS = 100;
const NODE = 'Ticks';
/** A message for each change would be best; a subscriber that is held up gets many at once. */
const MOST_VALUES_PER_MESSAGE = 5;

/** Publishes until the last change has come. @returns the values of each message. */
async function fetchAll(session: RawSession): Promise<number[][]> {
  const messages: number[][] = [];
  while (messages.at(-1)?.at(-1) !== CHANGES) {
    const response = await session.request(PublishRequest, { subscriptionAcknowledgements: [] }, PublishResponse);
    messages.push(dataChangesOf(response).map(({ value }) => value.value?.value as number));
  }
  return messages;
}

describe('a storm of secure handshakes', () => {
  it('BX-04 holds up no subscriber that was there before: it gets every notification, as it comes', async () => {
    const test = await startTestServer(
      (space) => {
        space.addVariable({ browseName: NODE, nodeId: `s=${NODE}`, dataType: 'Int32', value: 0 });
      },
      { pki: { autoAcceptUntrustedCertificates: true } },
    );
    const workDir = mkdtempSync(join(tmpdir(), 'bulkhead-storm-'));
    const session = await RawSession.open({ port: test.port, localAddress: SUBSCRIBER });
    await monitor(session, await subscribe(session, 50, 1000, 10_000), `ns=1;s=${NODE}`, { queueSize: 2 * CHANGES });
    const fetched = fetchAll(session);
    const storm = await connectStorm.start({ url: test.server.endpointUrls[0] ?? '', nodePrefix: NODE_PREFIX, methods: METHODS, workDir });
    const ticks = variable(test.server, `ns=1;s=${NODE}`);
    for (let change = 1; change <= CHANGES; change++) {
      await sleep(CHANGE_EVERY_MS);
      ticks.setValue(change);
    }
    const messages = await fetched;
    storm.stop();

    expect(storm.counts.responses).toBeGreaterThan(100);
    expect(messages.flat()).toEqual(Array.from({ length: CHANGES + 1 }, (_, value) => value));
    expect(Math.max(...messages.map((values) => values.length))).toBeLessThanOrEqual(MOST_VALUES_PER_MESSAGE);
    await session.close();
    await test.end();
    rmSync(workDir, { recursive: true, force: true });
  });
});
