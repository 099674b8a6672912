import type { Runtime, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { type PublishRequest, type StatusCode, StatusCodes } from '@bulkhead/types';
import { DeadlineQueue } from './deadline-queue.ts';
import type { SubscriptionLimits } from './limits.ts';
import type { PublishBody } from './publish-queue.ts';
import type { SamplingScheduler } from './sampling.ts';
import { noSubscription, SessionPublishing } from './session-publishing.ts';
import type { Subscription } from './subscription.ts';

/** Notifications sent in one turn of the event loop: making and encoding them takes a few ms. */
const NOTIFICATIONS_PER_TURN = 5_000;

/** Runs the publishing cycles of all Subscriptions on one timer and knows which Session each belongs to. */
export class PublishingEngine {
  readonly #runtime: Runtime;
  readonly #limits: SubscriptionLimits;
  readonly #sampling: SamplingScheduler;
  readonly #onLifetimeEnded: (subscription: Subscription) => void;
  readonly #cycles: DeadlineQueue<Subscription>;
  readonly #sessions: Map<SessionContext, SessionPublishing> = new Map();
  /** Channels whose clients take nothing at the moment. */
  readonly #heldBack: WeakSet<SecureChannelContext> = new WeakSet();
  /** Those that may have something to be served, next one first. */
  readonly #unserved: Set<SessionPublishing> = new Set();
  #isServingDeferred = false;
  #isRunningCycles = false;

  /** @param onLifetimeEnded deletes the Subscription, which is already detached. */
  constructor(
    runtime: Runtime,
    limits: SubscriptionLimits,
    sampling: SamplingScheduler,
    onLifetimeEnded: (subscription: Subscription) => void,
  ) {
    this.#runtime = runtime;
    this.#limits = limits;
    this.#sampling = sampling;
    this.#onLifetimeEnded = onLifetimeEnded;
    this.#cycles = new DeadlineQueue(runtime, (nowMs) => this.#runCycles(nowMs));
  }

  /** Publish requests that wait, over all Sessions. */
  get queuedPublishCount(): number {
    let count = 0;
    for (const publishing of this.#sessions.values()) count += publishing.queueLength;
    return count;
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  of(session: SessionContext): SessionPublishing | undefined {
    return this.#sessions.get(session);
  }

  publish(session: SessionContext, request: PublishRequest, signal: AbortSignal, notifyParked: () => void): Promise<PublishBody> {
    const publishing = this.#sessions.get(session);
    if (publishing === undefined) throw noSubscription();
    try {
      return publishing.publish(request, signal, notifyParked);
    } finally {
      this.#forgetIfEmpty(publishing);
    }
  }

  /** The client of a channel doesn't take what is sent, or takes it again: it gets keep-alives only meanwhile. */
  setHeldBack(channel: SecureChannelContext, isHeldBack: boolean): void {
    if (isHeldBack) {
      this.#heldBack.add(channel);
      return;
    }
    if (!this.#heldBack.delete(channel)) return;
    for (const publishing of this.#sessions.values()) if (publishing.session.channel === channel) this.#unserved.add(publishing);
    this.#serve(this.#runtime.clock.nowMs());
  }

  /** Gives a Subscription to a Session and starts its cycles unless they run. */
  attach(subscription: Subscription, session: SessionContext): void {
    let publishing = this.#sessions.get(session);
    if (publishing === undefined) {
      publishing = new SessionPublishing(session, this.#limits, this.#runtime.clock, this.#heldBack);
      this.#sessions.set(session, publishing);
    }
    subscription.moveTo(session, publishing.publishCount);
    publishing.attach(subscription);
    const nowMs = this.#runtime.clock.nowMs();
    if (subscription.heapIndex < 0) this.#cycles.schedule(subscription, nowMs + subscription.parameters.publishingIntervalMs);
    this.#unserved.add(publishing);
    this.#serve(nowMs);
  }

  /** The publishing interval changed: the cycle under way ends after the new one. */
  restartCycle(subscription: Subscription, previousIntervalMs: number): void {
    const nowMs = this.#runtime.clock.nowMs();
    const startedMs = subscription.dueMs - previousIntervalMs;
    this.#cycles.schedule(subscription, Math.max(nowMs, startedMs + subscription.parameters.publishingIntervalMs));
  }

  /**
   * Takes a Subscription from its Session. Its cycles go on.
   * @param status is what the Session's client is told; undefined when it asked for it.
   */
  detach(subscription: Subscription, status: StatusCode | undefined): void {
    const publishing = this.#sessions.get(subscription.session);
    if (publishing === undefined || publishing.subscriptions.get(subscription.id) !== subscription) return;
    publishing.detach(subscription);
    if (status !== undefined) publishing.issueStatusChange(subscription, status);
    this.#unserved.add(publishing);
    this.#serve(this.#runtime.clock.nowMs());
  }

  stopCycles(subscription: Subscription): void {
    this.#cycles.remove(subscription);
  }

  /** Ends a Session: its Publish requests end, its Subscriptions are left without one. @returns those Subscriptions. */
  closeSession(session: SessionContext, statusCode: StatusCode, reason: string): Subscription[] {
    const publishing = this.#sessions.get(session);
    if (publishing === undefined) return [];
    this.#sessions.delete(session);
    this.#unserved.delete(publishing);
    const subscriptions = Array.from(publishing.subscriptions.values());
    for (const subscription of subscriptions) publishing.detach(subscription);
    publishing.close(statusCode, reason);
    return subscriptions;
  }

  closeAll(statusCode: StatusCode, reason: string): void {
    for (const session of Array.from(this.#sessions.keys())) this.closeSession(session, statusCode, reason);
    this.#cycles.clear();
  }

  #runCycles(nowMs: number): void {
    this.#sampling.runDue(nowMs);
    this.#isRunningCycles = true;
    for (let subscription = this.#cycles.popDue(nowMs); subscription !== undefined; subscription = this.#cycles.popDue(nowMs)) {
      this.#endCycle(subscription, nowMs);
    }
    this.#isRunningCycles = false;
    // Only now, so that all Subscriptions of one instant compete for the requests.
    this.#serve(nowMs);
  }

  /** Serves Sessions in turn; what is more than one turn of the event loop should take goes on in later ones. */
  #serve(nowMs: number): void {
    if (this.#isServingDeferred || this.#isRunningCycles) return;
    let left = NOTIFICATIONS_PER_TURN;
    for (const publishing of this.#unserved) {
      left = publishing.serve(nowMs, left);
      this.#unserved.delete(publishing);
      if (left > 0) {
        this.#forgetIfEmpty(publishing);
        continue;
      }
      this.#unserved.add(publishing);
      this.#isServingDeferred = true;
      this.#runtime.turns.defer(() => {
        this.#isServingDeferred = false;
        this.#serve(this.#runtime.clock.nowMs());
      });
      return;
    }
  }

  #endCycle(subscription: Subscription, nowMs: number): void {
    const dueMs = subscription.dueMs;
    const nextMs = dueMs + subscription.parameters.publishingIntervalMs;
    // After a stall cycles are left out, not caught up.
    this.#cycles.schedule(subscription, nextMs > nowMs ? nextMs : nowMs + subscription.parameters.publishingIntervalMs);
    const publishing = this.#sessions.get(subscription.session);
    publishing?.dropUnready(subscription);
    const outcome = subscription.publishingTimerExpired((publishing?.queueLength ?? 0) > 0, publishing?.publishCount);
    if (outcome === 'lifetimeEnded') {
      this.#cycles.remove(subscription);
      this.detach(subscription, StatusCodes.BadTimeout);
      this.#onLifetimeEnded(subscription);
    } else if (outcome === 'needsPublishRequest') {
      if (publishing === undefined) {
        subscription.becomeLate();
      } else {
        publishing.addReady(subscription, dueMs);
        this.#unserved.add(publishing);
      }
    } else if (publishing?.isHeldBack === true && subscription.isReady) {
      // It waits, late, for a client that takes no Notifications; it may be time for a keep-alive.
      this.#unserved.add(publishing);
    }
  }

  #forgetIfEmpty(publishing: SessionPublishing): void {
    if (publishing.isEmpty && publishing.queueLength === 0) this.#sessions.delete(publishing.session);
  }
}
