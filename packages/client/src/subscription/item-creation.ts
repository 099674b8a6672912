import { TimestampsToReturn } from '@bulkhead/types';
import { expectResults } from '../session/session-operations.ts';
import type { SessionServices } from '../session/session-services.ts';
import type { MonitoredItem } from './monitored-item.ts';

/** Monitored items per request. */
const ITEMS_PER_REQUEST = 1000;

/** Creates items in the server, or creates them again. @throws as `ClientConnection.request`; what each item's code says is in it. */
export async function createItems(
  services: SessionServices,
  subscriptionId: number,
  items: readonly Pick<MonitoredItem, 'createRequest' | 'created'>[],
): Promise<void> {
  for (let start = 0; start < items.length; start += ITEMS_PER_REQUEST) {
    const part = items.slice(start, start + ITEMS_PER_REQUEST);
    const itemsToCreate = part.map((item) => item.createRequest());
    const { results } = await services.createMonitoredItems({
      subscriptionId,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToCreate,
    });
    const checked = expectResults(results, part.length);
    for (const [index, item] of part.entries()) item.created(checked[index] as (typeof checked)[number]);
  }
}
