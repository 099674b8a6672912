import {
  DataChangeNotification,
  EventNotificationList,
  type ExtensionObject,
  StatusChangeNotification,
  type StatusCode,
} from '@bulkhead/types';
import type { MonitoredItem, NotificationValue } from './monitored-item.ts';

/**
 * Hands the notifications of a message to their items; those of items that were deleted meanwhile are dropped.
 * @returns the status of a StatusChangeNotification, the last message of a Subscription.
 * @throws DecodingError
 */
export function deliverNotifications(
  notificationData: readonly ExtensionObject[],
  items: ReadonlyMap<number, MonitoredItem<NotificationValue>>,
): StatusCode | undefined {
  let status: StatusCode | undefined;
  for (const data of notificationData) {
    if (data.is(DataChangeNotification)) {
      for (const { clientHandle, value } of data.decode(DataChangeNotification).monitoredItems ?? [])
        items.get(clientHandle)?.notify(value);
    } else if (data.is(EventNotificationList)) {
      for (const { clientHandle, eventFields } of data.decode(EventNotificationList).events ?? []) {
        items.get(clientHandle)?.notify(eventFields ?? []);
      }
    } else if (data.is(StatusChangeNotification)) {
      status = data.decode(StatusChangeNotification).status;
    }
  }
  return status;
}
