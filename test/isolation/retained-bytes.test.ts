import type { OpcUaServer, VariableNode } from '@bulkhead/opcua';
import { INFO_TYPE_DATA_VALUE, type MonitoredItemNotification, OVERFLOW_BIT, PublishRequest, PublishResponse } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { variable } from '../support/publishing.ts';
import { RawSession } from '../support/raw-session.ts';
import { dataChangesOf, monitor, subscribe } from '../support/raw-subscriptions.ts';
import { startTestServer } from '../support/test-server.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const BLOB_BYTES = 32 * KiB;
const MAX_PER_OWNER = 1 * MiB;
const CHANGES = 60;
const CHANGES_AT_ONCE = 20;
const OVERFLOW = (INFO_TYPE_DATA_VALUE | OVERFLOW_BIT) >>> 0;
const GREEDY = '127.0.0.2';
const MODEST = '127.0.0.3';

async function watch(session: RawSession, queueSize: number): Promise<void> {
  await monitor(session, await subscribe(session, 50, 1000, 10_000), 'ns=1;s=Blob', { queueSize });
}

/** Publishes until all that was queued has come. */
async function fetchAll(session: RawSession): Promise<MonitoredItemNotification[]> {
  const values: MonitoredItemNotification[] = [];
  for (let hasMore = true; hasMore; ) {
    const response = await session.request(PublishRequest, { subscriptionAcknowledgements: [] }, PublishResponse);
    values.push(...dataChangesOf(response));
    hasMore = response.moreNotifications;
  }
  return values;
}

const firstByte = (value: MonitoredItemNotification | undefined): number | undefined =>
  (value?.value.value?.value as Buffer | undefined)?.[0];

function change(server: OpcUaServer, count: number): void {
  const blob: VariableNode = variable(server, 'ns=1;s=Blob');
  for (let at = 1; at <= count; at++) blob.setValue(Buffer.alloc(BLOB_BYTES, at));
}

describe('what is kept for a caller', () => {
  it('BX-08 is bounded: its own queues overflow, with the overflow bit, and nobody else loses a value', async () => {
    const test = await startTestServer(
      (space) => {
        space.addVariable({ browseName: 'Blob', nodeId: 's=Blob', dataType: 'ByteString', value: Buffer.alloc(BLOB_BYTES) });
      },
      { maxMessageSize: 256 * KiB, maxRetainedBytes: 8 * MiB, maxRetainedBytesPerOwner: MAX_PER_OWNER },
    );
    const { retained } = test.server.isolation;
    const greedy = await RawSession.open({ port: test.port, localAddress: GREEDY });
    const modest = await RawSession.open({ port: test.port, localAddress: MODEST });
    await watch(greedy, 1000);
    await watch(modest, CHANGES + 1);
    for (let round = 0; round < CHANGES / CHANGES_AT_ONCE; round++) {
      change(test.server, CHANGES_AT_ONCE);
      const values = await fetchAll(modest);
      // The first value was queued when the item was made.
      expect(values).toHaveLength(CHANGES_AT_ONCE + (round === 0 ? 1 : 0));
      expect(values.every(({ value }) => value.statusCode === 0)).toBe(true);
    }

    expect(retained.ofOwner(`address:${GREEDY}`)).toBeLessThanOrEqual(MAX_PER_OWNER);
    expect(retained.ofOwner(`address:${GREEDY}`)).toBeGreaterThan(0.9 * MAX_PER_OWNER);
    const kept = await fetchAll(greedy);
    expect(kept.length).toBeLessThan(CHANGES);
    expect(kept[0]?.value.statusCode).toBe(OVERFLOW);
    expect(kept.slice(1).every(({ value }) => value.statusCode === 0)).toBe(true);
    expect(firstByte(kept.at(-1))).toBe(CHANGES_AT_ONCE);

    await greedy.close();
    await modest.close();
    await test.end();
  });
});
