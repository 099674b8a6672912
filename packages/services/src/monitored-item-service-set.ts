import type { ServiceHandler } from '@bulkhead/contracts';
import type { SubscriptionManager } from '@bulkhead/subscription';
import type * as ua from '@bulkhead/types';
import { runInChunks } from './operation-chunks.ts';
import { requireSession } from './require-session.ts';

/** The MonitoredItem Service Set. OPC 10000-4 §5.13. */
export interface MonitoredItemServiceSet {
  readonly CreateMonitoredItems: ServiceHandler<ua.CreateMonitoredItemsRequest, ua.CreateMonitoredItemsResponse>;
  readonly ModifyMonitoredItems: ServiceHandler<ua.ModifyMonitoredItemsRequest, ua.ModifyMonitoredItemsResponse>;
  readonly SetMonitoringMode: ServiceHandler<ua.SetMonitoringModeRequest, ua.SetMonitoringModeResponse>;
  readonly SetTriggering: ServiceHandler<ua.SetTriggeringRequest, ua.SetTriggeringResponse>;
  readonly DeleteMonitoredItems: ServiceHandler<ua.DeleteMonitoredItemsRequest, ua.DeleteMonitoredItemsResponse>;
}

export function createMonitoredItemServiceSet(manager: SubscriptionManager): MonitoredItemServiceSet {
  const limit = manager.limits.maxMonitoredItemsPerCall;
  return {
    CreateMonitoredItems: (request, context) =>
      runInChunks(
        request.itemsToCreate,
        limit,
        context,
        (itemsToCreate) => manager.createMonitoredItems(requireSession(context), { ...request, itemsToCreate }).results,
      ),
    ModifyMonitoredItems: (request, context) =>
      runInChunks(
        request.itemsToModify,
        limit,
        context,
        (itemsToModify) => manager.modifyMonitoredItems(requireSession(context), { ...request, itemsToModify }).results,
      ),
    SetMonitoringMode: (request, context) =>
      runInChunks(
        request.monitoredItemIds,
        limit,
        context,
        (monitoredItemIds) => manager.setMonitoringMode(requireSession(context), { ...request, monitoredItemIds }).results,
      ),
    SetTriggering: (request, context) => manager.setTriggering(requireSession(context), request),
    DeleteMonitoredItems: (request, context) =>
      runInChunks(
        request.monitoredItemIds,
        limit,
        context,
        (monitoredItemIds) => manager.deleteMonitoredItems(requireSession(context), { ...request, monitoredItemIds }).results,
      ),
  };
}
