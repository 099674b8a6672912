import type { Runtime, Timer } from '@bulkhead/contracts';
import {
  AttributeIds,
  type DataValue,
  type ExtensionObject,
  isBad,
  type NotificationMessage,
  type StatusCode,
  StatusCodes,
  UaStatusError,
  type Variant,
} from '@bulkhead/types';
import { ServiceResultError, statusText } from '../service-result-error.ts';
import { expectResults, type NodeIdLike } from '../session/session-operations.ts';
import type { SessionServices } from '../session/session-services.ts';
import { createItems } from './item-creation.ts';
import { MonitoredItem, type MonitorOptions, type NotificationValue } from './monitored-item.ts';
import { deliverNotifications } from './notification-delivery.ts';
import { nextSequenceNumber, SequenceTracker } from './sequence-tracker.ts';
import {
  createRequestOf,
  type RevisedParameters,
  revisedOf,
  type SubscriptionOptions,
  type SubscriptionState,
} from './subscription-options.ts';

/** What a Subscription needs of its session. */
export interface SubscriptionHost {
  /** For what the user asks; may wait for a connection. */
  readonly services: SessionServices;
  /** Fails at once when there is no connection. */
  readonly liveServices: SessionServices;
  readonly runtime: Runtime;
  /** A message was delivered and may be forgotten by the server. */
  acknowledge(subscriptionId: number, sequenceNumber: number): void;
  /** The server doesn't know the Subscription any more. */
  lost(subscription: Subscription): void;
  /** The Subscription was deleted. */
  closed(subscription: Subscription): void;
}

/** Messages fetched after a reconnect before new ones are asked for; a gap found later is filled too. */
const MAX_REPUBLISHED = 10_000;
/** What keep-alives may be late by, beside half their interval, ms. */
const LATE_TOLERANCE_MS = 500;

/** A Subscription in the server with its monitored items. Lives on over reconnects when its session is a `ManagedSession`. */
export class Subscription implements AsyncDisposable {
  readonly #host: SubscriptionHost;
  readonly #items = new Map<number, MonitoredItem<NotificationValue>>();
  readonly #tracker = new SequenceTracker();
  #options: SubscriptionOptions;
  #id = 0;
  #revised: RevisedParameters = { publishingIntervalMs: 0, maxKeepAliveCount: 0, lifetimeCount: 0 };
  #state: SubscriptionState = 'active';
  #nextClientHandle = 1;
  #lostMessages = 0;
  #watchdog: Timer | undefined;
  #lastHeardMs = 0;
  /** Missing messages are being fetched; what comes meanwhile waits its turn. */
  #recovery: Promise<void> | undefined;

  constructor(host: SubscriptionHost, options: SubscriptionOptions) {
    this.#host = host;
    this.#options = options;
  }

  /** The server's id; another one after the Subscription had to be made anew. */
  get id(): number {
    return this.#id;
  }

  get state(): SubscriptionState {
    return this.#state;
  }

  get revised(): RevisedParameters {
    return this.#revised;
  }

  /** Messages that the server had dropped when they were asked for again. */
  get lostMessages(): number {
    return this.#lostMessages;
  }

  get items(): Iterable<MonitoredItem<NotificationValue>> {
    return this.#items.values();
  }

  /** The longest time between two messages as agreed, ms. */
  get keepAliveIntervalMs(): number {
    return this.#revised.publishingIntervalMs * this.#revised.maxKeepAliveCount;
  }

  /** Watches an attribute, the Value by default. @throws UaStatusError (as a rejection) with what the server says of the item. */
  async monitor(node: NodeIdLike, options: MonitorOptions = {}): Promise<MonitoredItem> {
    const [item] = await this.monitorAll([node], options);
    return expectMonitored(this, item as MonitoredItem);
  }

  /** Watches the same attribute of many nodes; look at each item's `statusCode`. */
  async monitorAll(nodes: readonly NodeIdLike[], options: MonitorOptions = {}): Promise<MonitoredItem[]> {
    const items = nodes.map((node) => this.#addItem<DataValue>(node, options));
    await this.#createItems(items);
    return items;
  }

  /** Watches the events of a node. @param filter an EventFilter; the values are its select clauses' fields. @throws as `monitor` */
  async monitorEvents(
    node: NodeIdLike,
    filter: ExtensionObject,
    options: MonitorOptions<readonly Variant[]> = {},
  ): Promise<MonitoredItem<readonly Variant[]>> {
    const defaults = { attributeId: AttributeIds.EventNotifier, samplingIntervalMs: 0, queueSize: 0, filter };
    const item = this.#addItem<readonly Variant[]>(node, { ...defaults, ...options });
    await this.#createItems([item]);
    return expectMonitored(this, item);
  }

  /** Stops watching; the items' iterators end. */
  async unmonitor(...items: readonly MonitoredItem<NotificationValue>[]): Promise<void> {
    const monitoredItemIds = items.filter(({ id }) => id !== 0).map(({ id }) => id);
    for (const item of items) {
      this.#items.delete(item.clientHandle);
      item.end();
    }
    if (monitoredItemIds.length > 0) await this.#host.services.deleteMonitoredItems({ subscriptionId: this.#id, monitoredItemIds });
  }

  /** Changes how the Subscription publishes. */
  async modify(options: Omit<SubscriptionOptions, 'publishingEnabled' | 'onStateChange'>): Promise<RevisedParameters> {
    const merged = { ...this.#options, ...options };
    const { publishingEnabled: _enabled, ...request } = createRequestOf(merged);
    const response = await this.#host.services.modifySubscription({ subscriptionId: this.#id, ...request });
    this.#options = merged;
    this.#revised = revisedOf(response);
    this.#watch();
    return this.#revised;
  }

  /** Switches publishing on or off. @throws UaStatusError (as a rejection) with what the server says. */
  async setPublishingMode(publishingEnabled: boolean): Promise<void> {
    const { results } = await this.#host.services.setPublishingMode({ publishingEnabled, subscriptionIds: [this.#id] });
    const [statusCode] = expectResults(results, 1);
    if (isBad(statusCode as StatusCode)) throw new UaStatusError(statusCode as StatusCode, statusText(statusCode as StatusCode));
    this.#options = { ...this.#options, publishingEnabled };
  }

  /** Deletes the Subscription; its items' iterators end. Idempotent. */
  async delete(): Promise<void> {
    if (this.#state === 'closed') return;
    const { id } = this;
    const wasKnown = this.#state !== 'lost';
    this.end();
    this.#host.closed(this);
    if (wasKnown) await this.#host.services.deleteSubscriptions({ subscriptionIds: [id] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete().catch(() => undefined);
  }

  /** For the session: creates it in the server, again if it was there before, with all its items. */
  async create(services: SessionServices): Promise<void> {
    const response = await services.createSubscription(createRequestOf(this.#options));
    this.#id = response.subscriptionId;
    this.#revised = revisedOf(response);
    this.#tracker.reset();
    this.#heard();
    // Those without an id have a request of their own on its way.
    const known = [...this.#items.values()].filter(({ id }) => id !== 0);
    await createItems(services, this.#id, known);
    this.#watch();
  }

  /**
   * For the session: after a reconnect, fetches the messages that were sent and never came.
   * @throws UaStatusError (as a rejection) of a lost connection. The state is `lost` if the server doesn't know the Subscription.
   */
  async resume(services: SessionServices): Promise<void> {
    await this.#recovery?.catch(() => undefined);
    for (let count = 0; count < MAX_REPUBLISHED && this.#state !== 'closed'; count++) {
      const expected = this.#tracker.expected;
      const result = await this.#republish(services, expected);
      if (result !== 'delivered') break;
      this.#tracker.skipTo(nextSequenceNumber(expected));
    }
    if (this.#state === 'late' || this.#state === 'active') this.#heard();
  }

  /** For the session: a message came. Its promise is settled when the message is delivered, or can't be. */
  receive(message: NotificationMessage): Promise<void> | undefined {
    if (this.#state === 'closed') return undefined;
    this.#heard();
    if (this.#recovery === undefined) return this.#accept(message);
    return this.#recover(this.#recovery.then(() => this.#accept(message)));
  }

  /** For the session: the server doesn't know it any more. */
  markLost(): void {
    if (this.#state === 'closed' || this.#state === 'lost') return;
    this.#watchdog?.cancel();
    this.#setState('lost');
    this.#host.lost(this);
  }

  /** For the session: nothing more comes. Idempotent. */
  end(error?: Error): void {
    this.#watchdog?.cancel();
    for (const item of this.#items.values()) item.end(error);
    this.#setState('closed');
  }

  #addItem<T extends NotificationValue>(node: NodeIdLike, options: MonitorOptions<T>): MonitoredItem<T> {
    const item = new MonitoredItem<T>(this.#nextClientHandle++, node, options);
    // Before it is created: its first value may come before the answer.
    this.#items.set(item.clientHandle, item as unknown as MonitoredItem<NotificationValue>);
    return item;
  }

  async #createItems(items: readonly Pick<MonitoredItem, 'createRequest' | 'created' | 'clientHandle'>[]): Promise<void> {
    try {
      await createItems(this.#host.services, this.#id, items);
    } catch (error) {
      for (const { clientHandle } of items) this.#items.delete(clientHandle);
      throw error;
    }
  }

  #accept(message: NotificationMessage): Promise<void> | undefined {
    const { sequenceNumber } = message;
    const isKeepAlive = (message.notificationData?.length ?? 0) === 0;
    const { isNew, missingCount, missingFrom } = this.#tracker.accept(sequenceNumber, isKeepAlive);
    if (missingCount > 0) return this.#recover(this.#fill(missingFrom, missingCount, isNew ? message : undefined));
    if (isNew) this.#deliver(message);
    // One that came before is acknowledged again: the server still holds it.
    else if (!isKeepAlive) this.#host.acknowledge(this.#id, sequenceNumber);
    return undefined;
  }

  #recover(work: Promise<void> | undefined): Promise<void> {
    const recovery: Promise<void> = Promise.resolve(work)
      .catch(() => undefined)
      .finally(() => {
        if (this.#recovery === recovery) this.#recovery = undefined;
      });
    this.#recovery = recovery;
    return recovery;
  }

  /** Fetches what is missing, then delivers `message`. What could not be asked for is asked for again after a reconnect. */
  async #fill(from: number, count: number, message: NotificationMessage | undefined): Promise<void> {
    let sequenceNumber = from;
    for (let done = 0; done < count; done++) {
      try {
        const result = await this.#republish(this.#host.liveServices, sequenceNumber);
        if (result === 'unknown') return;
        if (result === 'dropped') this.#lostMessages++;
      } catch (error) {
        this.#tracker.skipTo(sequenceNumber);
        throw error;
      }
      sequenceNumber = nextSequenceNumber(sequenceNumber);
    }
    if (message !== undefined) this.#deliver(message);
  }

  async #republish(services: SessionServices, retransmitSequenceNumber: number): Promise<'delivered' | 'dropped' | 'unknown'> {
    try {
      const { notificationMessage } = await services.republish({ subscriptionId: this.#id, retransmitSequenceNumber });
      this.#deliver(notificationMessage);
      return 'delivered';
    } catch (error) {
      const statusCode = error instanceof ServiceResultError ? error.statusCode : undefined;
      if (statusCode === StatusCodes.BadMessageNotAvailable) return 'dropped';
      if (statusCode !== StatusCodes.BadSubscriptionIdInvalid) throw error;
      this.markLost();
      return 'unknown';
    }
  }

  #deliver({ notificationData, sequenceNumber }: NotificationMessage): void {
    const status = deliverNotifications(notificationData ?? [], this.#items);
    if (status !== undefined) this.#onStatusChange(status);
    this.#host.acknowledge(this.#id, sequenceNumber);
  }

  /** The last message of a Subscription: its lifetime ended, or another Session took it. */
  #onStatusChange(status: StatusCode): void {
    this.#host.runtime.log.log('warn', 'client.subscriptionStatus', { subscriptionId: this.#id, status: statusText(status) });
    this.markLost();
  }

  #heard(): void {
    this.#lastHeardMs = this.#host.runtime.clock.nowMs();
    if (this.#state === 'late' || this.#state === 'lost') {
      this.#setState('active');
      this.#watch();
    }
  }

  #watch(): void {
    this.#watchdog?.cancel();
    const { clock, timers } = this.#host.runtime;
    const allowedMs = this.keepAliveIntervalMs * 1.5 + LATE_TOLERANCE_MS;
    const check = (): void => {
      const leftMs = this.#lastHeardMs + allowedMs - clock.nowMs();
      if (leftMs > 0) this.#watchdog = timers.after(leftMs, check);
      else this.#setState('late');
    };
    this.#watchdog = timers.after(allowedMs, check);
  }

  #setState(state: SubscriptionState): void {
    if (this.#state === state || this.#state === 'closed') return;
    this.#state = state;
    this.#options.onStateChange?.(state);
  }
}

function expectMonitored<T extends NotificationValue>(subscription: Subscription, item: MonitoredItem<T>): MonitoredItem<T> {
  if (!isBad(item.statusCode)) return item;
  void subscription.unmonitor(item as unknown as MonitoredItem<NotificationValue>);
  throw new UaStatusError(item.statusCode, statusText(item.statusCode));
}
