import type { Clock, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { type NotificationMessage, type PublishRequest, type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { SubscriptionLimits } from './limits.ts';
import { abandoned, type PublishBody, PublishQueue } from './publish-queue.ts';
import type { Subscription } from './subscription.ts';

/** What a Publish request is answered with, before its own acknowledgement results. */
interface Answer {
  readonly subscriptionId: number;
  readonly availableSequenceNumbers: readonly number[];
  readonly moreNotifications: boolean;
  readonly notificationMessage: NotificationMessage;
  readonly notificationCount: number;
}

/** What making and sending an answer costs beside its Notifications, in Notifications. */
const ANSWER_COST = 10;

/**
 * Brings the Publish requests and the Subscriptions of one Session together. Between two calls either no request waits or no
 * Subscription is listed as ready, never both, unless `serve` was stopped by its budget or the client takes nothing.
 *
 * Which Subscription gets the next request: the highest priority; among equals the one that has waited longest; then the one
 * that was answered longest ago. A Subscription that has waited for a whole keep-alive time goes before those that haven't,
 * whatever their priority: the client would give it up for dead. OPC 10000-4 §5.14.1.2, §5.14.2.2.
 */
export class SessionPublishing {
  readonly session: SessionContext;
  readonly subscriptions: Map<number, Subscription> = new Map();
  readonly #limits: SubscriptionLimits;
  readonly #clock: Clock;
  readonly #heldBack: WeakSet<SecureChannelContext>;
  readonly #queue: PublishQueue;
  readonly #ready: Subscription[] = [];
  /** StatusChangeNotifications of Subscriptions that left this Session. */
  readonly #statusChanges: Answer[] = [];
  #publishCount = 0;
  #answerCount = 0;

  /** @param heldBack channels whose clients take nothing at the moment. */
  constructor(session: SessionContext, limits: SubscriptionLimits, clock: Clock, heldBack: WeakSet<SecureChannelContext>) {
    this.session = session;
    this.#heldBack = heldBack;
    this.#limits = limits;
    this.#clock = clock;
    this.#queue = new PublishQueue(limits.maxPublishRequestsPerSession);
  }

  /** Publish requests received. */
  get publishCount(): number {
    return this.#publishCount;
  }

  /** Publish requests that wait. */
  get queueLength(): number {
    return this.#queue.length;
  }

  /** Nothing is left that a Publish request could get. */
  get isEmpty(): boolean {
    return this.subscriptions.size === 0 && this.#statusChanges.length === 0;
  }

  /** Its client takes nothing at the moment: its Subscriptions send keep-alives only. */
  get isHeldBack(): boolean {
    return this.#heldBack.has(this.session.channel);
  }

  publish(request: PublishRequest, signal: AbortSignal, notifyParked: () => void): Promise<PublishBody> {
    if (this.isEmpty) throw noSubscription();
    if (signal.aborted) throw abandoned();
    this.#publishCount++;
    const results = this.#acknowledge(request);
    // Older requests go first.
    const answer = this.#queue.length > 0 ? undefined : this.#nextAnswer(this.#clock.nowMs());
    if (answer !== undefined) return Promise.resolve(toBody(answer, results));
    const body = this.#queue.add(results, signal);
    notifyParked();
    return body;
  }

  /** A Subscription joins: created or transferred. */
  attach(subscription: Subscription): void {
    this.subscriptions.set(subscription.id, subscription);
    if (subscription.isReady) this.addReady(subscription, this.#clock.nowMs());
  }

  /** A Subscription leaves. With the last one every waiting request ends with BadNoSubscription. */
  detach(subscription: Subscription): void {
    this.subscriptions.delete(subscription.id);
    this.#removeReady(subscription);
  }

  /** Tells the client that a Subscription is gone from this Session; waits for a Publish request if there is none. */
  issueStatusChange(subscription: Subscription, status: StatusCode): void {
    if (this.#statusChanges.length >= this.#limits.maxSubscriptionsPerSession) this.#statusChanges.shift();
    this.#statusChanges.push({
      subscriptionId: subscription.id,
      availableSequenceNumbers: [],
      moreNotifications: false,
      notificationMessage: subscription.createStatusChangeMessage(status, this.#clock.utcNow()),
      notificationCount: 1,
    });
  }

  /** A Subscription wants a Publish request. */
  addReady(subscription: Subscription, sinceMs: number): void {
    if (subscription.readyIndex >= 0) return;
    subscription.readyIndex = this.#ready.length;
    subscription.readySinceMs = sinceMs;
    this.#ready.push(subscription);
  }

  /** Forgets since when a Subscription waits if it doesn't any more: its Notifications were deleted or publishing disabled. */
  dropUnready(subscription: Subscription): void {
    if (!subscription.isReady) this.#removeReady(subscription);
  }

  /**
   * Answers what can be answered now; Subscriptions left without a request become late.
   * @param budget Notifications that may be sent.
   * @returns what is left of it; when that is not above 0, there may be more to serve.
   */
  serve(nowMs: number, budget: number): number {
    let left = budget;
    while (this.#queue.length > 0) {
      if (left <= 0) return left;
      const answer = this.#nextAnswer(nowMs);
      if (answer === undefined) break;
      const request = this.#queue.take();
      request?.resolve(toBody(answer, request.results));
      left -= ANSWER_COST + answer.notificationCount;
    }
    for (const subscription of this.#ready) subscription.becomeLate();
    if (this.isEmpty) this.#queue.rejectAll(StatusCodes.BadNoSubscription, 'the last Subscription is gone');
    return Math.max(1, left);
  }

  /** Ends every waiting request. */
  close(statusCode: StatusCode, reason: string): void {
    this.#queue.rejectAll(statusCode, reason);
    this.#statusChanges.length = 0;
  }

  #acknowledge(request: PublishRequest): readonly StatusCode[] {
    const acknowledgements = request.subscriptionAcknowledgements;
    if (acknowledgements === null || acknowledgements.length === 0) return [];
    return acknowledgements.map(({ subscriptionId, sequenceNumber }) => {
      const subscription = this.subscriptions.get(subscriptionId);
      if (subscription === undefined) return StatusCodes.BadSubscriptionIdInvalid;
      return subscription.retransmission.acknowledge(sequenceNumber) ? StatusCodes.Good : StatusCodes.BadSequenceNumberUnknown;
    });
  }

  #nextAnswer(nowMs: number): Answer | undefined {
    const statusChange = this.#statusChanges.shift();
    if (statusChange !== undefined) return statusChange;
    const { isHeldBack } = this;
    const subscription = this.#takeReady(nowMs, isHeldBack);
    if (subscription === undefined) return undefined;
    const countBefore = subscription.counters.notificationsCount;
    const publishTime = this.#clock.utcNow();
    const notificationMessage = isHeldBack ? subscription.createKeepAlive(publishTime) : subscription.createMessage(publishTime);
    subscription.readyOrder = ++this.#answerCount;
    if (subscription.isReady) this.addReady(subscription, nowMs);
    return {
      subscriptionId: subscription.id,
      availableSequenceNumbers: subscription.retransmission.availableSequenceNumbers(),
      moreNotifications: subscription.moreNotifications,
      notificationMessage,
      notificationCount: subscription.counters.notificationsCount - countBefore,
    };
  }

  /** @param onlyOverdue of those that wait, only one whose client would give it up for dead. */
  #takeReady(nowMs: number, onlyOverdue: boolean): Subscription | undefined {
    let best: Subscription | undefined;
    for (let i = this.#ready.length - 1; i >= 0; i--) {
      const candidate = this.#ready[i] as Subscription;
      if (!candidate.isReady) this.#removeReady(candidate);
      else if (onlyOverdue && candidate.reportableValueCount > 0 && !isOverdue(candidate, nowMs)) continue;
      else if (best === undefined || goesBefore(candidate, best, nowMs)) best = candidate;
    }
    if (best !== undefined) this.#removeReady(best);
    return best;
  }

  #removeReady(subscription: Subscription): void {
    const index = subscription.readyIndex;
    if (index < 0) return;
    subscription.readyIndex = -1;
    const last = this.#ready.pop() as Subscription;
    if (last === subscription) return;
    last.readyIndex = index;
    this.#ready[index] = last;
  }
}

export function noSubscription(): UaStatusError {
  return new UaStatusError(StatusCodes.BadNoSubscription, 'the Session has no Subscription');
}

function goesBefore(a: Subscription, b: Subscription, nowMs: number): boolean {
  const aIsOverdue = isOverdue(a, nowMs);
  if (aIsOverdue !== isOverdue(b, nowMs)) return aIsOverdue;
  if (a.parameters.priority !== b.parameters.priority) return a.parameters.priority > b.parameters.priority;
  if (a.readySinceMs !== b.readySinceMs) return a.readySinceMs < b.readySinceMs;
  if (a.readyOrder !== b.readyOrder) return a.readyOrder < b.readyOrder;
  return a.id < b.id;
}

function isOverdue(subscription: Subscription, nowMs: number): boolean {
  const { publishingIntervalMs, maxKeepAliveCount } = subscription.parameters;
  return nowMs - subscription.readySinceMs >= publishingIntervalMs * maxKeepAliveCount;
}

function toBody(answer: Answer, results: readonly StatusCode[]): PublishBody {
  return {
    subscriptionId: answer.subscriptionId,
    availableSequenceNumbers: answer.availableSequenceNumbers,
    moreNotifications: answer.moreNotifications,
    notificationMessage: answer.notificationMessage,
    results,
    diagnosticInfos: [],
  };
}
