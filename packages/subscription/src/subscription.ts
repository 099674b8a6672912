import type { SessionContext } from '@bulkhead/contracts';
import {
  DataChangeNotification,
  type DateTime,
  ExtensionObject,
  MonitoringMode,
  type NotificationMessage,
  StatusChangeNotification,
  type StatusCode,
} from '@bulkhead/types';
import type { Deadline } from './deadline-queue.ts';
import type { SubscriptionLimits } from './limits.ts';
import type { MonitoredItem, MonitoredItemOwner } from './monitored-item.ts';
import type { OwnerShare } from './owner-share.ts';
import { PendingNotifications } from './pending-notifications.ts';
import { RetransmissionQueue } from './retransmission-queue.ts';
import { createSubscriptionCounters, type SubscriptionCounters } from './subscription-diagnostics.ts';
import type { SubscriptionParameters } from './subscription-parameters.ts';

/** The states of OPC 10000-4 §5.14.1.2 that last; CREATING is the constructor. */
export type SubscriptionState = 'normal' | 'late' | 'keepAlive' | 'closed';

/** What the end of a publishing cycle calls for. */
export type CycleOutcome = 'nothing' | 'needsPublishRequest' | 'lifetimeEnded';

const MAX_SEQUENCE_NUMBER = 0xffffffff;

/**
 * One Subscription: the state table of OPC 10000-4 §5.14.1.2 (Table 85; "row n" below), its MonitoredItems and its sent
 * messages. Publish requests belong to the Session, so whoever owns them tells this class when a cycle ended
 * (`publishingTimerExpired`), when a request is there for it (`createMessage`) and when none is (`becomeLate`).
 */
export class Subscription implements Deadline, MonitoredItemOwner {
  dueMs = 0;
  heapIndex = -1;
  readonly id: number;
  /** The Session it belongs to, or belonged to last. */
  session: SessionContext;
  readonly items: Map<number, MonitoredItem> = new Map();
  readonly retransmission: RetransmissionQueue;
  readonly counters: SubscriptionCounters = createSubscriptionCounters();
  /** Since when it waits for a Publish request (monotonic ms). Belongs to the Session's publishing order, like the next two. */
  readySinceMs = 0;
  readyOrder = 0;
  readyIndex = -1;
  disabledItemCount = 0;
  triggeringLinkCount = 0;
  /** Values queued in all items, reportable or not. */
  queuedValueCount = 0;
  #share: OwnerShare;
  #parameters: SubscriptionParameters;
  #state: SubscriptionState = 'normal';
  #isPublishingEnabled: boolean;
  #messageSent = false;
  #moreNotifications = false;
  #awaitsRequest = false;
  #keepAliveCounter: number;
  #lifetimeCounter: number;
  readonly #maxNotificationBytes: number;
  #sequenceNumber = 1;
  #nextItemId = 1;
  #seenPublishCount = 0;
  readonly #pending: PendingNotifications = new PendingNotifications();

  /** Rows 1–3: created; the first cycle sends a message whatever happens. */
  constructor(
    id: number,
    session: SessionContext,
    parameters: SubscriptionParameters,
    isPublishingEnabled: boolean,
    limits: SubscriptionLimits,
    share: OwnerShare,
  ) {
    this.id = id;
    this.#share = share;
    this.session = session;
    this.#maxNotificationBytes = limits.maxNotificationBytesPerPublish;
    this.#parameters = parameters;
    this.#isPublishingEnabled = isPublishingEnabled;
    this.#keepAliveCounter = parameters.maxKeepAliveCount;
    this.#lifetimeCounter = parameters.lifetimeCount;
    this.retransmission = new RetransmissionQueue(limits.maxRetransmissionMessages, limits.maxRetransmissionNotifications, (bytes) =>
      this.released(bytes),
    );
  }

  /** What its owner uses, of which it is a part. */
  get share(): OwnerShare {
    return this.#share;
  }

  /** What its queues keep alive, charged to its owner. */
  get retainedBytes(): number {
    let bytes = this.retransmission.retainedBytes;
    for (const item of this.items.values()) bytes += item.queue.retainedBytes;
    return bytes;
  }

  /**
   * Another owner is charged from now on. Where that has no room, messages that were sent are given up first, then queued values.
   */
  moveToShare(share: OwnerShare): void {
    if (share === this.#share) return;
    if (!share.account.tryCharge(this.retainedBytes)) {
      this.retransmission.clear();
      if (!share.account.tryCharge(this.retainedBytes)) for (const item of this.items.values()) item.loseValues();
    }
    this.released(this.retainedBytes);
    this.#share = share;
  }

  tryRetain(bytes: number): boolean {
    const { account } = this.#share;
    while (!account.tryCharge(bytes)) if (!this.retransmission.discardOldest()) return false;
    return true;
  }

  released(bytes: number): void {
    if (bytes > 0) this.#share.account.release(bytes);
  }

  get state(): SubscriptionState {
    return this.#state;
  }

  get parameters(): SubscriptionParameters {
    return this.#parameters;
  }

  get isPublishingEnabled(): boolean {
    return this.#isPublishingEnabled;
  }

  get moreNotifications(): boolean {
    return this.#moreNotifications;
  }

  /** Cycles that may still pass without the client. */
  get lifetimeCounter(): number {
    return this.#lifetimeCounter;
  }

  /** Quiet cycles until the next keep-alive. */
  get keepAliveCounter(): number {
    return this.#keepAliveCounter;
  }

  /** Number of the next NotificationMessage; a keep-alive carries it without using it up. */
  get nextSequenceNumber(): number {
    return this.#sequenceNumber;
  }

  /** Values that the next message could carry. */
  get reportableValueCount(): number {
    return this.#pending.valueCount;
  }

  get #hasNotifications(): boolean {
    return this.#isPublishingEnabled && this.#pending.valueCount > 0;
  }

  /** Whether a Publish request would be answered at once. */
  get isReady(): boolean {
    return this.#state === 'late' || this.#awaitsRequest || (this.#moreNotifications && this.#hasNotifications && this.#state !== 'closed');
  }

  /** ResetLifetimeCounter(): the client is there. */
  touch(): void {
    this.#lifetimeCounter = this.#parameters.lifetimeCount;
  }

  /**
   * The publishing timer expired.
   * @param isRequestQueued whether the Session has Publish requests waiting.
   * @param publishCount Publish requests the Session received so far: a change is client activity. Undefined without a Session.
   */
  publishingTimerExpired(isRequestQueued: boolean, publishCount: number | undefined): CycleOutcome {
    if (this.#state === 'closed') return 'nothing';
    if (isRequestQueued || (publishCount !== undefined && publishCount !== this.#seenPublishCount)) {
      this.#seenPublishCount = publishCount ?? 0;
      this.touch();
    } else if (this.#lifetimeCounter <= 1) {
      return 'lifetimeEnded'; // row 27
    } else {
      this.#lifetimeCounter--;
    }
    if (this.#state === 'late') return 'nothing'; // row 12
    const needsMessage = this.#hasNotifications || !this.#messageSent;
    if (needsMessage) return this.#awaitRequest(); // rows 6, 7, 8, 14, 17
    this.#pending.endIdleTriggers();
    this.#state = 'keepAlive'; // row 9
    if (this.#keepAliveCounter <= 1) return this.#awaitRequest(); // rows 15, 17
    this.#keepAliveCounter--; // row 16
    return 'nothing';
  }

  /** No Publish request is left for this cycle: rows 8, 17. */
  becomeLate(): void {
    if (!this.#awaitsRequest) return;
    this.#awaitsRequest = false;
    this.#state = 'late';
    this.counters.latePublishRequestCount++;
  }

  /**
   * A Publish request is there for this Subscription: makes what it is answered with, Notifications if there are any
   * (rows 5, 6, 10, 14), else a keep-alive (rows 7, 11, 15).
   */
  createMessage(publishTime: DateTime): NotificationMessage {
    this.touch();
    this.counters.publishRequestCount++;
    const wasLate = this.#state === 'late';
    this.#awaitsRequest = false;
    this.#messageSent = true;
    this.#keepAliveCounter = this.#parameters.maxKeepAliveCount;
    if (this.#hasNotifications) {
      this.#state = 'normal';
      return this.#createNotificationMessage(publishTime);
    }
    this.#moreNotifications = false;
    if (wasLate) this.#state = 'keepAlive';
    return { sequenceNumber: this.#sequenceNumber, publishTime, notificationData: [] };
  }

  /** Says that it is alive, to a client that takes no Notifications: those there are stay queued. */
  createKeepAlive(publishTime: DateTime): NotificationMessage {
    this.touch();
    this.counters.publishRequestCount++;
    this.#awaitsRequest = false;
    this.#messageSent = true;
    this.#keepAliveCounter = this.#parameters.maxKeepAliveCount;
    this.#state = this.#hasNotifications ? 'late' : 'keepAlive';
    return { sequenceNumber: this.#sequenceNumber, publishTime, notificationData: [] };
  }

  /** IssueStatusChangeNotification(): a message that isn't kept for Republish. */
  createStatusChangeMessage(status: StatusCode, publishTime: DateTime): NotificationMessage {
    const sequenceNumber = this.#sequenceNumber;
    return {
      sequenceNumber,
      publishTime,
      notificationData: [ExtensionObject.of(StatusChangeNotification, { status, diagnosticInfo: null })],
    };
  }

  /** Row 18. */
  modify(parameters: SubscriptionParameters): void {
    this.#parameters = parameters;
    this.#keepAliveCounter = Math.min(this.#keepAliveCounter, parameters.maxKeepAliveCount);
    this.touch();
    this.counters.modifyCount++;
  }

  /** Row 19. */
  setPublishingEnabled(isEnabled: boolean): void {
    this.touch();
    this.#moreNotifications = false;
    this.#isPublishingEnabled = isEnabled;
    if (isEnabled) this.counters.enableCount++;
    else this.counters.disableCount++;
  }

  /** Rows 20, 21. */
  republish(sequenceNumber: number): NotificationMessage | undefined {
    this.touch();
    this.counters.republishRequestCount++;
    this.counters.republishMessageRequestCount++;
    const message = this.retransmission.find(sequenceNumber);
    if (message !== undefined) this.counters.republishMessageCount++;
    return message;
  }

  /** Row 23: SetSession(). */
  moveTo(session: SessionContext, publishCount: number): void {
    this.session = session;
    this.#seenPublishCount = publishCount;
    this.touch();
  }

  /** Row 25, 27: the end. Its items are deleted by their own service. */
  close(): void {
    this.#state = 'closed';
    this.#awaitsRequest = false;
    this.#moreNotifications = false;
    this.retransmission.clear();
  }

  /** An id that no item of this Subscription has. */
  takeItemId(): number {
    let id = this.#nextItemId;
    while (this.items.has(id)) id = id === MAX_SEQUENCE_NUMBER ? 1 : id + 1;
    this.#nextItemId = id === MAX_SEQUENCE_NUMBER ? 1 : id + 1;
    return id;
  }

  addItem(item: MonitoredItem): void {
    this.items.set(item.id, item);
    this.disabledItemCount++;
  }

  /** Changes the mode and keeps the counts right. A newly enabled item queues its first value on its own. */
  setItemMode(item: MonitoredItem, mode: MonitoringMode): void {
    const mayReportBefore = item.mayReport;
    const queuedBefore = item.queue.length;
    if (item.mode === MonitoringMode.Disabled) this.disabledItemCount--;
    if (mode === MonitoringMode.Disabled) this.disabledItemCount++;
    // Out of the list while its old queue is still there.
    if (mayReportBefore) this.#pending.stopReporting(item);
    item.setMode(mode);
    this.queuedValueCount -= queuedBefore - item.queue.length;
    if (item.mayReport) this.#pending.startReporting(item);
    item.startSampling();
  }

  /** Takes an item out; its links must be gone. */
  removeItem(item: MonitoredItem): void {
    this.setItemMode(item, MonitoringMode.Disabled);
    this.disabledItemCount--;
    this.items.delete(item.id);
  }

  /** `count` values of an item's queue no longer fit. */
  valuesDropped(item: MonitoredItem, count: number): void {
    this.queuedValueCount -= count;
    this.#pending.valuesLost(item, count);
  }

  valueQueued(item: MonitoredItem): void {
    this.queuedValueCount++;
    this.#pending.valueQueued(item);
  }

  valueLost(item: MonitoredItem): void {
    if (item.queue.size > 1) this.counters.monitoringQueueOverflowCount++;
  }

  linksTriggered(item: MonitoredItem): void {
    for (const triggered of item.triggeredItems ?? []) {
      if (triggered.mode !== MonitoringMode.Sampling || triggered.isTriggered) continue;
      triggered.isTriggered = true;
      this.#pending.startReporting(triggered);
    }
  }

  /** Every reporting item repeats its last value unless it has one queued. */
  resendData(): void {
    for (const item of this.items.values()) item.resend();
  }

  /** Half of what the client takes in a response, if it said so: bytes are estimated. */
  get #maxMessageBytes(): number {
    const { maxResponseMessageBytes } = this.session;
    return maxResponseMessageBytes === 0 ? this.#maxNotificationBytes : Math.min(this.#maxNotificationBytes, maxResponseMessageBytes / 2);
  }

  #awaitRequest(): CycleOutcome {
    this.#awaitsRequest = true;
    return 'needsPublishRequest';
  }

  #createNotificationMessage(publishTime: DateTime): NotificationMessage {
    const { notifications: monitoredItems, bytes } = this.#pending.take(this.#parameters.maxNotificationsPerPublish, this.#maxMessageBytes);
    const count = monitoredItems.length;
    this.queuedValueCount -= count;
    this.#moreNotifications = this.#pending.valueCount > 0;
    this.counters.dataChangeNotificationsCount += count;
    this.counters.notificationsCount += count;
    const message: NotificationMessage = {
      sequenceNumber: this.#sequenceNumber,
      publishTime,
      notificationData: [ExtensionObject.of(DataChangeNotification, { monitoredItems, diagnosticInfos: [] })],
    };
    this.#sequenceNumber = this.#sequenceNumber === MAX_SEQUENCE_NUMBER ? 1 : this.#sequenceNumber + 1;
    this.retransmission.add(message, count, bytes);
    return message;
  }
}
