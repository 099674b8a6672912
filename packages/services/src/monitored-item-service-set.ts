import type { ServiceHandler } from '@bulkhead/contracts';
import type { SubscriptionManager } from '@bulkhead/subscription';
import type * as ua from '@bulkhead/types';
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
  return {
    CreateMonitoredItems: (request, context) => manager.createMonitoredItems(requireSession(context), request),
    ModifyMonitoredItems: (request, context) => manager.modifyMonitoredItems(requireSession(context), request),
    SetMonitoringMode: (request, context) => manager.setMonitoringMode(requireSession(context), request),
    SetTriggering: (request, context) => manager.setTriggering(requireSession(context), request),
    DeleteMonitoredItems: (request, context) => manager.deleteMonitoredItems(requireSession(context), request),
  };
}
