import type { Runtime, Timer } from '@bulkhead/contracts';
import { StatusCodes, type SubscriptionAcknowledgement, UaStatusError } from '@bulkhead/types';
import { retryAfterMsOf } from '../service-result-error.ts';
import type { SessionServices } from '../session/session-services.ts';
import { Subscription, type SubscriptionHost } from './subscription.ts';
import type { SubscriptionOptions } from './subscription-options.ts';

export interface SubscriptionSetOptions {
  /** For what the user asks; may wait for a connection. */
  readonly services: SessionServices;
  /** For Publish and Republish: fails at once when there is no connection. */
  readonly liveServices: SessionServices;
  readonly runtime: Runtime;
  /** Publish requests in flight at most; one per Subscription and one more are sent. Default 10. */
  readonly maxPublishRequests?: number | undefined;
  /** Whether it makes sense to send a Publish request. */
  readonly isUsable: () => boolean;
  /** The server doesn't know a Subscription any more. */
  readonly onLost: (subscription: Subscription) => void;
}

/** Acknowledgements that wait for the next Publish request; what is above is told with a later one, or never: it is a courtesy. */
const MAX_WAITING_ACKNOWLEDGEMENTS = 1000;
const RETRY_DELAY_MS = 1000;
/** Added to what keep-alives allow before a Publish request is given up. */
const PUBLISH_SLACK_MS = 15_000;

/** The Subscriptions of one session: keeps Publish requests in flight, hands messages to their Subscription, acknowledges them. */
export class SubscriptionSet implements SubscriptionHost {
  readonly services: SessionServices;
  readonly liveServices: SessionServices;
  readonly runtime: Runtime;
  readonly #options: SubscriptionSetOptions;
  readonly #subscriptions = new Set<Subscription>();
  /** Under way: a message may come before its Subscription is known here. */
  readonly #creations = new Set<Promise<void>>();
  #acknowledgements: SubscriptionAcknowledgement[] = [];
  /** Lower than asked for once the server said that it is too many. */
  #maxInFlight: number;
  #inFlight = 0;
  /** Answers to requests of an earlier session don't count. */
  #generation = 0;
  #isStarted = true;
  #isChecking = false;
  #retryTimer: Timer | undefined;

  constructor(options: SubscriptionSetOptions) {
    this.services = options.services;
    this.liveServices = options.liveServices;
    this.runtime = options.runtime;
    this.#options = options;
    this.#maxInFlight = options.maxPublishRequests ?? 10;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  /** Publish requests in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  [Symbol.iterator](): Iterator<Subscription> {
    return this.#subscriptions.values();
  }

  /** Creates a Subscription in the server. @throws as `ClientConnection.request` */
  async create(options: SubscriptionOptions): Promise<Subscription> {
    const subscription = new Subscription(this, options);
    const creation = subscription.create(this.services);
    this.#creations.add(creation);
    try {
      await creation;
    } finally {
      this.#creations.delete(creation);
    }
    this.#subscriptions.add(subscription);
    this.#fill();
    return subscription;
  }

  acknowledge(subscriptionId: number, sequenceNumber: number): void {
    if (this.#acknowledgements.length < MAX_WAITING_ACKNOWLEDGEMENTS) this.#acknowledgements.push({ subscriptionId, sequenceNumber });
  }

  lost(subscription: Subscription): void {
    this.#options.onLost(subscription);
  }

  closed(subscription: Subscription): void {
    this.#subscriptions.delete(subscription);
  }

  /** Sends Publish requests again, in a new session or on a new connection. */
  start(): void {
    this.#isStarted = true;
    this.#maxInFlight = this.#options.maxPublishRequests ?? 10;
    this.#fill();
  }

  /** The connection is gone: nothing is sent until `start`. */
  stop(): void {
    this.#isStarted = false;
    this.#generation++;
    this.#inFlight = 0;
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
  }

  /** Forgets acknowledgements for Subscriptions that don't exist any more. */
  forgetAcknowledgements(subscriptionId: number): void {
    this.#acknowledgements = this.#acknowledgements.filter((acknowledgement) => acknowledgement.subscriptionId !== subscriptionId);
  }

  /** Ends every Subscription on this side. Idempotent. */
  close(error?: Error): void {
    this.stop();
    for (const subscription of this.#subscriptions) subscription.end(error);
    this.#subscriptions.clear();
    this.#acknowledgements = [];
  }

  #fill(): void {
    if (!this.#isStarted || this.#retryTimer !== undefined || !this.#options.isUsable()) return;
    const wanted = this.#subscriptions.size === 0 ? 0 : Math.min(this.#subscriptions.size + 1, this.#maxInFlight);
    while (this.#inFlight < wanted) {
      this.#inFlight++;
      void this.#publish(this.#generation);
    }
  }

  async #publish(generation: number): Promise<void> {
    const acknowledgements = this.#acknowledgements;
    this.#acknowledgements = [];
    try {
      const { notificationMessage, subscriptionId } = await this.liveServices.publish(
        { subscriptionAcknowledgements: acknowledgements },
        { timeoutMs: this.#publishTimeoutMs() },
      );
      if (generation !== this.#generation) return;
      const subscription = this.#find(subscriptionId) ?? (await this.#findCreated(subscriptionId));
      // The next request goes out when this message is dealt with, so no more messages wait than requests were sent.
      await subscription?.receive(notificationMessage);
    } catch (error) {
      // Told again with the next request; the server doesn't mind what it knows already.
      this.#acknowledgements.unshift(...acknowledgements.slice(0, MAX_WAITING_ACKNOWLEDGEMENTS - this.#acknowledgements.length));
      if (generation === this.#generation) this.#onError(error);
    }
    if (generation !== this.#generation) return;
    this.#inFlight--;
    this.#fill();
  }

  #onError(error: unknown): void {
    const statusCode = error instanceof UaStatusError ? error.statusCode : StatusCodes.BadUnexpectedError;
    if (statusCode === StatusCodes.BadTooManyPublishRequests && this.#inFlight > 1) {
      this.#maxInFlight = this.#inFlight - 1;
      return;
    }
    if (statusCode === StatusCodes.BadNoSubscription) {
      if (this.#subscriptions.size === 0) return;
      void this.#check();
    }
    if (!this.#options.isUsable() || this.#retryTimer !== undefined) return;
    this.#retryTimer = this.runtime.timers.after(retryAfterMsOf(error) ?? RETRY_DELAY_MS, () => {
      this.#retryTimer = undefined;
      this.#fill();
    });
  }

  /** The server says that there is no Subscription: asks for each one. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      for (const subscription of [...this.#subscriptions]) {
        const { id } = subscription;
        const retransmitSequenceNumber = 0;
        await this.liveServices.republish({ subscriptionId: id, retransmitSequenceNumber }).catch((error: unknown) => {
          const isUnknown = error instanceof UaStatusError && error.statusCode === StatusCodes.BadSubscriptionIdInvalid;
          if (isUnknown && subscription.id === id) subscription.markLost();
        });
      }
    } finally {
      this.#isChecking = false;
    }
  }

  #find(subscriptionId: number): Subscription | undefined {
    for (const subscription of this.#subscriptions) if (subscription.id === subscriptionId) return subscription;
    return undefined;
  }

  async #findCreated(subscriptionId: number): Promise<Subscription | undefined> {
    if (this.#creations.size > 0) await Promise.allSettled(this.#creations);
    return this.#find(subscriptionId);
  }

  /** Each request may have to wait until those before it took a keep-alive each. */
  #publishTimeoutMs(): number {
    let keepAliveMs = 0;
    for (const subscription of this.#subscriptions) keepAliveMs = Math.max(keepAliveMs, subscription.keepAliveIntervalMs);
    return keepAliveMs * (this.#maxInFlight + 1) + PUBLISH_SLACK_MS;
  }
}
