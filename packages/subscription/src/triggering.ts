import type { MonitoredItem } from './monitored-item.ts';

/**
 * Links from triggering items to items to report, within one Subscription. When a triggering item has a new Notification, the
 * linked items in mode Sampling report what they have queued. Links aren't followed further. OPC 10000-4 §5.13.1.6.
 * @returns false when the link exists already.
 */
export function addTriggeringLink(triggering: MonitoredItem, triggered: MonitoredItem): boolean {
  triggering.triggeredItems ??= new Set();
  if (triggering.triggeredItems.has(triggered)) return false;
  triggering.triggeredItems.add(triggered);
  triggered.triggeringItems ??= new Set();
  triggered.triggeringItems.add(triggering);
  return true;
}

/** @returns false when there is no such link. */
export function removeTriggeringLink(triggering: MonitoredItem, triggered: MonitoredItem): boolean {
  if (!triggering.triggeredItems?.delete(triggered)) return false;
  if (triggering.triggeredItems.size === 0) triggering.triggeredItems = undefined;
  triggered.triggeringItems?.delete(triggering);
  if (triggered.triggeringItems?.size === 0) triggered.triggeringItems = undefined;
  return true;
}

/** Takes an item out of all its links, both ways. @returns how many there were. */
export function removeAllTriggeringLinks(item: MonitoredItem): number {
  let removed = 0;
  for (const triggered of item.triggeredItems ?? []) {
    if (removeTriggeringLink(item, triggered)) removed++;
  }
  for (const triggering of item.triggeringItems ?? []) {
    if (removeTriggeringLink(triggering, item)) removed++;
  }
  return removed;
}
