import type { MonitoredSource, RetainedBytesAccounts, Runtime, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import {
  type CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  type CreateSubscriptionRequest,
  type CreateSubscriptionResponse,
  type DeleteMonitoredItemsRequest,
  type DeleteMonitoredItemsResponse,
  type DeleteSubscriptionsRequest,
  type DeleteSubscriptionsResponse,
  type ModifyMonitoredItemsRequest,
  type ModifyMonitoredItemsResponse,
  type ModifySubscriptionRequest,
  type ModifySubscriptionResponse,
  type PublishRequest,
  type RepublishRequest,
  type RepublishResponse,
  type SetMonitoringModeRequest,
  type SetMonitoringModeResponse,
  type SetPublishingModeRequest,
  type SetPublishingModeResponse,
  type SetTriggeringRequest,
  type SetTriggeringResponse,
  type StatusCode,
  StatusCodes,
  type SubscriptionDiagnosticsDataType,
  type TransferResult,
  type TransferSubscriptionsRequest,
  type TransferSubscriptionsResponse,
  UaStatusError,
} from '@bulkhead/types';
import { createSubscriptionLimits, type SubscriptionLimits } from './limits.ts';
import { type Body, MonitoredItemServices } from './monitored-item-services.ts';
import { requireOperations } from './operations.ts';
import { type OwnerKeyOf, OwnerShares } from './owner-share.ts';
import type { PublishBody } from './publish-queue.ts';
import { PublishingEngine } from './publishing-engine.ts';
import { SamplingScheduler } from './sampling.ts';
import { Subscription } from './subscription.ts';
import { diagnosticsOf } from './subscription-diagnostics.ts';
import { reviseSubscriptionParameters } from './subscription-parameters.ts';
import { mayTransfer, moveShare, refusalToMove } from './subscription-transfer.ts';

/** How long sampling may hold the event loop at a time. */
const DEFAULT_SLICE_MS = 5;

export interface SubscriptionManagerOptions {
  readonly runtime: Runtime;
  readonly source: MonitoredSource;
  /** Defaults: `defaultSubscriptionLimits`. */
  readonly limits?: Partial<SubscriptionLimits>;
  /** Where it is counted what is kept for owners. */
  readonly accounts: RetainedBytesAccounts;
  readonly ownerKeyOf: OwnerKeyOf;
  /** Longest stretch of sampling without letting others in, ms. Default 5. */
  readonly sliceMs?: number;
}

/** What holds of all Subscriptions together, for diagnostics and leak checks. */
export interface SubscriptionTotals {
  readonly subscriptions: number;
  readonly monitoredItems: number;
  readonly queuedPublishRequests: number;
  /** Sessions with Subscriptions or with a StatusChangeNotification to fetch. */
  readonly sessions: number;
  readonly samplingGroups: number;
}

/** What a Session's Subscriptions hold in memory, in values (a value is a DataValue of any size). */
export interface HeldValues {
  readonly queued: number;
  readonly retransmission: number;
}

/**
 * The Subscription and MonitoredItem Service Sets. Methods take the Session and the request and return the response without
 * its header; a fault of the whole service is thrown as UaStatusError. OPC 10000-4 §5.13, §5.14.
 */
export class SubscriptionManager {
  readonly limits: SubscriptionLimits;
  readonly #runtime: Runtime;
  readonly #subscriptions: Map<number, Subscription> = new Map();
  readonly #sampling: SamplingScheduler;
  readonly #engine: PublishingEngine;
  readonly #items: MonitoredItemServices;
  readonly #shares: OwnerShares;
  #createdCount = 0;
  #isDisposed = false;

  /** @throws RangeError for limits that make no sense. */
  constructor(options: SubscriptionManagerOptions) {
    this.limits = createSubscriptionLimits(options.limits);
    this.#runtime = options.runtime;
    this.#shares = new OwnerShares(options.accounts, options.ownerKeyOf);
    this.#sampling = new SamplingScheduler(options.runtime, options.sliceMs ?? DEFAULT_SLICE_MS);
    this.#items = new MonitoredItemServices(this.limits, options.source, this.#sampling);
    this.#engine = new PublishingEngine(options.runtime, this.limits, this.#sampling, (subscription) => this.#end(subscription));
  }

  get totals(): SubscriptionTotals {
    return {
      subscriptions: this.#subscriptions.size,
      monitoredItems: this.#items.itemCount,
      queuedPublishRequests: this.#engine.queuedPublishCount,
      sessions: this.#engine.sessionCount,
      samplingGroups: this.#sampling.groupCount,
    };
  }

  /** Subscriptions created since the start. */
  get createdCount(): number {
    return this.#createdCount;
  }

  /** @throws UaStatusError BadTooManySubscriptions, BadServerHalted (disposed) */
  createSubscription(session: SessionContext, request: CreateSubscriptionRequest): Body<CreateSubscriptionResponse> {
    if (this.#isDisposed) throw new UaStatusError(StatusCodes.BadServerHalted, 'the server stops');
    const ofSession = this.#engine.of(session)?.subscriptions.size ?? 0;
    if (
      this.#isDisposed ||
      this.#subscriptions.size >= this.limits.maxSubscriptions ||
      ofSession >= this.limits.maxSubscriptionsPerSession
    ) {
      throw new UaStatusError(StatusCodes.BadTooManySubscriptions, `${ofSession} of the Session, ${this.#subscriptions.size} in all`);
    }
    const ofOwner = this.#shares.find(session)?.subscriptionCount ?? 0;
    if (ofOwner >= this.limits.maxSubscriptionsPerOwner) {
      throw new UaStatusError(StatusCodes.BadTooManySubscriptions, `${ofOwner} of the caller`);
    }
    const parameters = reviseSubscriptionParameters(request, this.limits);
    const share = this.#shares.join(session);
    const subscription = new Subscription(this.#newId(), session, parameters, request.publishingEnabled, this.limits, share);
    this.#subscriptions.set(subscription.id, subscription);
    this.#createdCount++;
    this.#engine.attach(subscription, session);
    return {
      subscriptionId: subscription.id,
      revisedPublishingInterval: parameters.publishingIntervalMs,
      revisedLifetimeCount: parameters.lifetimeCount,
      revisedMaxKeepAliveCount: parameters.maxKeepAliveCount,
    };
  }

  /** @throws UaStatusError BadSubscriptionIdInvalid */
  modifySubscription(session: SessionContext, request: ModifySubscriptionRequest): Body<ModifySubscriptionResponse> {
    const subscription = this.#require(session, request.subscriptionId);
    const previousIntervalMs = subscription.parameters.publishingIntervalMs;
    const parameters = reviseSubscriptionParameters(request, this.limits);
    subscription.modify(parameters);
    if (parameters.publishingIntervalMs !== previousIntervalMs) this.#engine.restartCycle(subscription, previousIntervalMs);
    return {
      revisedPublishingInterval: parameters.publishingIntervalMs,
      revisedLifetimeCount: parameters.lifetimeCount,
      revisedMaxKeepAliveCount: parameters.maxKeepAliveCount,
    };
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations */
  setPublishingMode(session: SessionContext, request: SetPublishingModeRequest): Body<SetPublishingModeResponse> {
    const ids = requireOperations(request.subscriptionIds, this.limits.maxSubscriptionsPerCall);
    const results = ids.map((id) => {
      const subscription = this.#find(session, id);
      if (subscription === undefined) return StatusCodes.BadSubscriptionIdInvalid;
      subscription.setPublishingEnabled(request.publishingEnabled);
      return StatusCodes.Good;
    });
    return { results, diagnosticInfos: [] };
  }

  /**
   * Answered at once when something is to be reported, else parked.
   * @param signal aborted when the request is cancelled, expires or loses its channel: it leaves the queue, the promise rejects.
   * @param notifyParked called once if the request has to wait.
   * @throws UaStatusError BadNoSubscription, BadTooManyPublishRequests (too many wait and this is the oldest), BadSessionClosed,
   * BadTimeout (the signal).
   */
  async publish(session: SessionContext, request: PublishRequest, signal: AbortSignal, notifyParked: () => void): Promise<PublishBody> {
    return this.#engine.publish(session, request, signal, notifyParked);
  }

  /** @throws UaStatusError BadSubscriptionIdInvalid, BadMessageNotAvailable */
  republish(session: SessionContext, request: RepublishRequest): Body<RepublishResponse> {
    const subscription = this.#require(session, request.subscriptionId);
    const notificationMessage = subscription.republish(request.retransmitSequenceNumber);
    if (notificationMessage === undefined) {
      throw new UaStatusError(StatusCodes.BadMessageNotAvailable, `sequence number ${request.retransmitSequenceNumber}`);
    }
    return { notificationMessage };
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations */
  transferSubscriptions(session: SessionContext, request: TransferSubscriptionsRequest): Body<TransferSubscriptionsResponse> {
    const ids = requireOperations(request.subscriptionIds, this.limits.maxSubscriptionsPerCall);
    return { results: ids.map((id) => this.#transfer(session, id, request.sendInitialValues)), diagnosticInfos: [] };
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations */
  deleteSubscriptions(session: SessionContext, request: DeleteSubscriptionsRequest): Body<DeleteSubscriptionsResponse> {
    const ids = requireOperations(request.subscriptionIds, this.limits.maxSubscriptionsPerCall);
    const results = ids.map((id) => {
      const subscription = this.#find(session, id);
      if (subscription === undefined) return StatusCodes.BadSubscriptionIdInvalid;
      this.#delete(subscription);
      return StatusCodes.Good;
    });
    return { results, diagnosticInfos: [] };
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations, BadTimestampsToReturnInvalid, BadSubscriptionIdInvalid */
  createMonitoredItems(session: SessionContext, request: CreateMonitoredItemsRequest): Body<CreateMonitoredItemsResponse> {
    return this.#items.create(this.#require(session, request.subscriptionId), request);
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations, BadTimestampsToReturnInvalid, BadSubscriptionIdInvalid */
  modifyMonitoredItems(session: SessionContext, request: ModifyMonitoredItemsRequest): Body<ModifyMonitoredItemsResponse> {
    return this.#items.modify(this.#require(session, request.subscriptionId), request);
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations, BadMonitoringModeInvalid, BadSubscriptionIdInvalid */
  setMonitoringMode(session: SessionContext, request: SetMonitoringModeRequest): Body<SetMonitoringModeResponse> {
    return this.#items.setMode(this.#require(session, request.subscriptionId), request);
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations, BadMonitoredItemIdInvalid, BadSubscriptionIdInvalid */
  setTriggering(session: SessionContext, request: SetTriggeringRequest): Body<SetTriggeringResponse> {
    return this.#items.setTriggering(this.#require(session, request.subscriptionId), request);
  }

  /** @throws UaStatusError BadNothingToDo, BadTooManyOperations, BadSubscriptionIdInvalid */
  deleteMonitoredItems(session: SessionContext, request: DeleteMonitoredItemsRequest): Body<DeleteMonitoredItemsResponse> {
    return this.#items.delete(this.#require(session, request.subscriptionId), request);
  }

  /**
   * The Method ResendData. OPC 10000-5 §9.2.
   * @throws UaStatusError BadSubscriptionIdInvalid, BadUserAccessDenied (another Session's)
   */
  resendData(session: SessionContext, subscriptionId: number): void {
    this.#requireOwn(session, subscriptionId).resendData();
  }

  /**
   * The Method GetMonitoredItems: two lists of the same order. OPC 10000-5 §9.1.
   * @throws UaStatusError BadSubscriptionIdInvalid, BadUserAccessDenied (another Session's)
   */
  getMonitoredItems(session: SessionContext, subscriptionId: number): { serverHandles: number[]; clientHandles: number[] } {
    const items = Array.from(this.#requireOwn(session, subscriptionId).items.values());
    return { serverHandles: items.map((item) => item.id), clientHandles: items.map((item) => item.clientHandle) };
  }

  /**
   * The client of a channel doesn't take what is sent, or takes it again. Meanwhile no Publish request is used for Notifications:
   * they stay in the queues of their items, which lose the oldest as usual, and the Subscriptions send keep-alives.
   */
  channelHeldBack(channel: SecureChannelContext, isHeldBack: boolean): void {
    this.#engine.setHeldBack(channel, isHeldBack);
  }

  /** The Session was activated, by another user perhaps: its Subscriptions count for its owner of now, within its limits or not. */
  sessionActivated(session: SessionContext): void {
    for (const subscription of this.#engine.of(session)?.subscriptions.values() ?? []) {
      if (subscription.share !== this.#shares.find(session)) this.#moveToOwnerOf(subscription, session);
    }
  }

  /** The Session is gone. Subscriptions that are kept wait for a transfer until their lifetime ends. */
  sessionClosed(session: SessionContext, deleteSubscriptions: boolean): void {
    const left = this.#engine.closeSession(session, StatusCodes.BadSessionClosed, 'the Session was closed');
    if (!deleteSubscriptions) return;
    for (const subscription of left) this.#delete(subscription);
  }

  /** SubscriptionIds of one Session, or of all. */
  subscriptionIds(session?: SessionContext): number[] {
    return Array.from((session === undefined ? this.#subscriptions : (this.#engine.of(session)?.subscriptions ?? new Map())).keys());
  }

  /** @returns undefined for an unknown id. */
  diagnostics(subscriptionId: number): SubscriptionDiagnosticsDataType | undefined {
    const subscription = this.#subscriptions.get(subscriptionId);
    return subscription === undefined ? undefined : diagnosticsOf(subscription);
  }

  /** Publish requests of the Session that wait. */
  queuedPublishCount(session: SessionContext): number {
    return this.#engine.of(session)?.queueLength ?? 0;
  }

  /** What the Session's Subscriptions hold, for budgets. */
  heldValues(session: SessionContext): HeldValues {
    let queued = 0;
    let retransmission = 0;
    for (const subscription of this.#engine.of(session)?.subscriptions.values() ?? []) {
      queued += subscription.queuedValueCount;
      retransmission += subscription.retransmission.notificationCount;
    }
    return { queued, retransmission };
  }

  /** Ends everything; waiting Publish requests end with BadServerHalted. Idempotent. */
  dispose(): void {
    this.#isDisposed = true;
    this.#engine.closeAll(StatusCodes.BadServerHalted, 'the server stops');
    for (const subscription of this.#subscriptions.values()) this.#end(subscription);
    this.#sampling.clear();
  }

  #transfer(session: SessionContext, id: number, sendInitialValues: boolean): TransferResult {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) return { statusCode: StatusCodes.BadSubscriptionIdInvalid, availableSequenceNumbers: [] };
    subscription.counters.transferRequestCount++;
    const isOwn = this.#find(session, id) !== undefined; // its lifetime starts again: row 22
    if (isOwn) return { statusCode: StatusCodes.BadNothingToDo, availableSequenceNumbers: [] };
    const previous = subscription.session;
    if (!mayTransfer(previous, session, this.limits.anonymousTransferNeedsSecurity)) {
      return { statusCode: StatusCodes.BadUserAccessDenied, availableSequenceNumbers: [] }; // row 24
    }
    if ((this.#engine.of(session)?.subscriptions.size ?? 0) >= this.limits.maxSubscriptionsPerSession) {
      return { statusCode: StatusCodes.BadTooManySubscriptions, availableSequenceNumbers: [] };
    }
    const share = this.#shares.find(session);
    if (share !== subscription.share) {
      const refusal = refusalToMove(subscription, share, this.limits);
      if (refusal !== undefined) return { statusCode: refusal, availableSequenceNumbers: [] };
      this.#moveToOwnerOf(subscription, session);
    }
    if (previous.clientApplicationUri === session.clientApplicationUri) subscription.counters.transferredToSameClientCount++;
    else subscription.counters.transferredToAltClientCount++;
    this.#engine.detach(subscription, StatusCodes.GoodSubscriptionTransferred);
    const availableSequenceNumbers = subscription.retransmission.availableSequenceNumbers();
    if (sendInitialValues) subscription.resendData();
    this.#engine.attach(subscription, session); // row 23
    return { statusCode: StatusCodes.Good, availableSequenceNumbers };
  }

  #moveToOwnerOf(subscription: Subscription, session: SessionContext): void {
    const previous = subscription.share;
    const share = this.#shares.join(session);
    moveShare(subscription, share);
    this.#shares.leave(previous);
  }

  #delete(subscription: Subscription): void {
    this.#engine.detach(subscription, undefined);
    this.#end(subscription);
  }

  #end(subscription: Subscription): void {
    this.#engine.stopCycles(subscription);
    this.#items.deleteAll(subscription);
    subscription.close();
    if (this.#subscriptions.delete(subscription.id)) this.#shares.leave(subscription.share);
  }

  /** A Subscription that this Session owns; using its id resets its lifetime. */
  #find(session: SessionContext, id: number): Subscription | undefined {
    const subscription = this.#engine.of(session)?.subscriptions.get(id);
    subscription?.touch();
    return subscription;
  }

  #require(session: SessionContext, id: number): Subscription {
    const subscription = this.#find(session, id);
    if (subscription === undefined) throw new UaStatusError(StatusCodes.BadSubscriptionIdInvalid, `SubscriptionId ${id}`);
    return subscription;
  }

  #requireOwn(session: SessionContext, id: number): Subscription {
    const subscription = this.#find(session, id);
    if (subscription !== undefined) return subscription;
    const statusCode: StatusCode = this.#subscriptions.has(id) ? StatusCodes.BadUserAccessDenied : StatusCodes.BadSubscriptionIdInvalid;
    throw new UaStatusError(statusCode, `SubscriptionId ${id}`);
  }

  /** Random, so that an id remembered from before a restart doesn't name somebody else's Subscription. */
  #newId(): number {
    for (;;) {
      const id = this.#runtime.random.bytes(4).readUInt32LE(0);
      if (id !== 0 && !this.#subscriptions.has(id)) return id;
    }
  }
}
