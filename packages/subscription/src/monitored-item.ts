import type { MonitoredTarget, SessionContext } from '@bulkhead/contracts';
import { DataValue, MonitoringMode, type StatusCode, StatusCodes, type TimestampsToReturn, UaStatusError } from '@bulkhead/types';
import { passesFilter, type ValueChangeFilter } from './data-change-filter.ts';
import { MonitoredItemQueue } from './monitored-item-queue.ts';
import { retainedBytesOf } from './retained-value.ts';
import type { Sampled, SamplingGroup, SamplingScheduler } from './sampling.ts';

/** The Subscription, as its MonitoredItems see it. */
export interface MonitoredItemOwner {
  /** On whose behalf values are read. */
  readonly session: SessionContext;
  /** Room for a value in memory, before it is queued. @returns false when its owner has too much already. */
  tryRetain(bytes: number): boolean;
  /** Gives room back. */
  released(bytes: number): void;
  valueQueued(item: MonitoredItem): void;
  /** Values of its queue are lost, which is shorter now. */
  valuesDropped(item: MonitoredItem, count: number): void;
  /** A full queue lost a value. */
  valueLost(item: MonitoredItem): void;
  /** The item was sampled, passed its filter, and has triggering links. */
  linksTriggered(item: MonitoredItem): void;
}

/** Parameters of a MonitoredItem after revision. */
export interface MonitoredItemParameters {
  readonly clientHandle: number;
  readonly samplingIntervalMs: number;
  /** What it counts as. */
  readonly samplesPerSecond: number;
  readonly queueSize: number;
  readonly discardOldest: boolean;
  readonly filter: ValueChangeFilter;
  readonly timestampsToReturn: TimestampsToReturn;
}

/** One watched attribute: takes samples, filters them and queues Notifications. OPC 10000-4 §5.13.1. */
export class MonitoredItem implements Sampled {
  readonly id: number;
  readonly owner: MonitoredItemOwner;
  readonly attributeId: number;
  readonly target: MonitoredTarget;
  readonly queue: MonitoredItemQueue;
  clientHandle: number;
  samplingIntervalMs: number;
  samplesPerSecond: number;
  discardOldest: boolean;
  filter: ValueChangeFilter;
  timestampsToReturn: TimestampsToReturn;
  /** Samples left out because the read before wasn't done. */
  skippedSampleCount: number;

  // The SamplingGroup's fields.
  pollIndex: number;
  acceptedPeriod: number;
  heldValue: DataValue | undefined;

  // PendingNotifications' fields.
  isListed: boolean;
  isTriggered: boolean;
  previousPending: MonitoredItem | undefined;
  nextPending: MonitoredItem | undefined;

  /** Items that this one triggers, and by which it is triggered; see triggering.ts. */
  triggeredItems: Set<MonitoredItem> | undefined;
  triggeringItems: Set<MonitoredItem> | undefined;

  readonly #sampling: SamplingScheduler;
  readonly #minPollIntervalMs: number;
  #mode: MonitoringMode;
  #group: SamplingGroup | undefined;
  #stopObserving: (() => void) | undefined;
  #lastQueued: DataValue | undefined;
  /** Changes whenever sampling stops: results of reads from before are out of date. */
  #generation: number;
  #reportCount: number;
  #isReading: boolean;

  /** @param minPollIntervalMs for a target that neither reports changes nor names its own pace. */
  constructor(
    id: number,
    owner: MonitoredItemOwner,
    attributeId: number,
    target: MonitoredTarget,
    parameters: MonitoredItemParameters,
    sampling: SamplingScheduler,
    minPollIntervalMs: number,
  ) {
    this.id = id;
    this.owner = owner;
    this.attributeId = attributeId;
    this.target = target;
    this.queue = new MonitoredItemQueue(parameters.queueSize, parameters.discardOldest);
    this.clientHandle = parameters.clientHandle;
    this.samplingIntervalMs = parameters.samplingIntervalMs;
    this.samplesPerSecond = parameters.samplesPerSecond;
    this.discardOldest = parameters.discardOldest;
    this.filter = parameters.filter;
    this.timestampsToReturn = parameters.timestampsToReturn;
    this.skippedSampleCount = 0;
    this.pollIndex = -1;
    this.acceptedPeriod = -1;
    this.heldValue = undefined;
    this.isListed = false;
    this.isTriggered = false;
    this.previousPending = undefined;
    this.nextPending = undefined;
    this.triggeredItems = undefined;
    this.triggeringItems = undefined;
    this.#sampling = sampling;
    this.#minPollIntervalMs = minPollIntervalMs;
    this.#mode = MonitoringMode.Disabled;
    this.#group = undefined;
    this.#stopObserving = undefined;
    this.#lastQueued = undefined;
    this.#generation = 0;
    this.#reportCount = 0;
    this.#isReading = false;
  }

  get mode(): MonitoringMode {
    return this.#mode;
  }

  /** Whether queued values may go into a NotificationMessage. */
  get mayReport(): boolean {
    return this.#mode === MonitoringMode.Reporting || this.isTriggered;
  }

  /**
   * Changes the mode alone; the owner keeps its list of pending items right around it. Disabling stops sampling and empties the
   * queue; enabling samples at once and queues that value whatever the filter says.
   */
  setMode(mode: MonitoringMode): void {
    const wasDisabled = this.#mode === MonitoringMode.Disabled;
    this.#mode = mode;
    this.isTriggered = false;
    if (mode === MonitoringMode.Disabled) {
      if (!wasDisabled) this.#stopSampling();
      this.owner.released(this.queue.retainedBytes);
      this.queue.clear();
    }
  }

  /** Starts sampling once the item is listed with its owner and enabled. Harmless when it runs already. */
  startSampling(): void {
    if (this.#mode === MonitoringMode.Disabled || this.#group !== undefined || this.#stopObserving !== undefined) return;
    this.#lastQueued = undefined;
    const reportsBefore = this.#reportCount;
    if (this.samplingIntervalMs > 0) this.#group = this.#sampling.join(this.samplingIntervalMs);
    this.#stopObserving = this.target.observe((value) => this.#report(value), this.owner);
    if (this.#stopObserving === undefined) {
      this.#group ??= this.#sampling.join(this.#minPollIntervalMs);
      this.#group.poll(this);
    }
    if (this.#reportCount === reportsBefore) this.sample();
  }

  /** Applies revised parameters; the caller keeps counts of queued values right. @returns values lost by a smaller queue. */
  modify(parameters: MonitoredItemParameters): number {
    this.clientHandle = parameters.clientHandle;
    this.filter = parameters.filter;
    this.timestampsToReturn = parameters.timestampsToReturn;
    this.samplesPerSecond = parameters.samplesPerSecond;
    if (parameters.samplingIntervalMs !== this.samplingIntervalMs) this.#changeInterval(parameters.samplingIntervalMs);
    if (parameters.queueSize === this.queue.size && parameters.discardOldest === this.discardOldest) return 0;
    this.discardOldest = parameters.discardOldest;
    const before = this.queue.retainedBytes;
    const lost = this.queue.resize(parameters.queueSize, parameters.discardOldest);
    this.owner.released(before - this.queue.retainedBytes);
    return lost;
  }

  /** Its owner has no memory for what is queued. */
  loseValues(): void {
    const { queue, owner } = this;
    const count = queue.length;
    if (count === 0) return;
    const bytes = queue.retainedBytes;
    while (queue.discardOne());
    owner.released(bytes);
    owner.valuesDropped(this, count);
    owner.valueLost(this);
  }

  /** Repeats the last value unless one is queued. OPC 10000-4 §5.14.7.2, OPC 10000-5 §9.2. */
  resend(): void {
    if (this.#mode !== MonitoringMode.Reporting || this.queue.length > 0 || this.#lastQueued === undefined) return;
    this.#enqueue(this.#lastQueued);
  }

  /** Reads the value, unless the read before isn't done: then this sample is left out and counted. */
  sample(): void {
    if (this.#isReading) {
      this.skippedSampleCount++;
      return;
    }
    let result: DataValue | Promise<DataValue>;
    try {
      result = this.target.read(this.owner.session);
    } catch (error) {
      result = this.#failure(error);
    }
    if (result instanceof Promise) this.#awaitRead(result);
    else this.#takeSample(result);
  }

  accept(value: DataValue): void {
    const last = this.#lastQueued;
    if (last !== undefined && !passesFilter(this.filter, last, value)) return;
    this.#lastQueued = value;
    this.#enqueue(value);
    if (this.triggeredItems !== undefined) this.owner.linksTriggered(this);
  }

  #enqueue(value: DataValue): void {
    const { queue, owner } = this;
    const bytes = retainedBytesOf(value);
    if (!owner.tryRetain(bytes) && !this.#makeRoom(bytes)) {
      queue.flagGap();
      owner.valueLost(this);
      return;
    }
    const before = queue.retainedBytes;
    if (queue.enqueue(value)) {
      owner.valueQueued(this);
      return;
    }
    owner.released(bytes + before - queue.retainedBytes);
    owner.valueLost(this);
  }

  /** The owner has no memory left: this queue loses values as a full one does. @returns whether the new one fits then. */
  #makeRoom(bytes: number): boolean {
    const { queue, owner } = this;
    for (let before = queue.retainedBytes; queue.discardOne(); before = queue.retainedBytes) {
      owner.released(before - queue.retainedBytes);
      owner.valuesDropped(this, 1);
      owner.valueLost(this);
      if (owner.tryRetain(bytes)) return true;
    }
    return false;
  }

  #report(value: DataValue): void {
    if (this.#mode === MonitoringMode.Disabled) return;
    this.#reportCount++;
    if (this.#group === undefined) this.accept(value);
    else this.#group.report(this, value);
  }

  #takeSample(value: DataValue): void {
    if (this.#stopObserving !== undefined) this.#group?.noteAccepted(this);
    this.accept(value);
  }

  #awaitRead(read: Promise<DataValue>): void {
    this.#isReading = true;
    const generation = this.#generation;
    const reportCount = this.#reportCount;
    read.then(
      (value) => this.#finishRead(value, generation, reportCount),
      (error: unknown) => this.#finishRead(this.#failure(error), generation, reportCount),
    );
  }

  #finishRead(value: DataValue, generation: number, reportCount: number): void {
    this.#isReading = false;
    if (this.#mode === MonitoringMode.Disabled) return;
    if (generation !== this.#generation) {
      // Disabled and enabled meanwhile: this is an old value, and the new initial one was left out for it.
      this.sample();
    } else if (reportCount === this.#reportCount) {
      this.#takeSample(value);
    }
    // Else the source has reported a newer value while this one was read.
  }

  #changeInterval(intervalMs: number): void {
    this.samplingIntervalMs = intervalMs;
    const group = this.#group;
    if (this.#mode === MonitoringMode.Disabled) return;
    const held = this.heldValue;
    const isPolled = this.pollIndex >= 0;
    if (group !== undefined) this.#sampling.leave(group, this);
    const nextIntervalMs = isPolled && intervalMs === 0 ? this.#minPollIntervalMs : intervalMs;
    this.#group = nextIntervalMs > 0 ? this.#sampling.join(nextIntervalMs) : undefined;
    if (isPolled) this.#group?.poll(this);
    if (held !== undefined) this.#takeSample(held);
  }

  #stopSampling(): void {
    this.#generation++;
    this.#stopObserving?.();
    this.#stopObserving = undefined;
    if (this.#group !== undefined) this.#sampling.leave(this.#group, this);
    this.#group = undefined;
    this.#lastQueued = undefined;
  }

  #failure(error: unknown): DataValue {
    let statusCode: StatusCode = StatusCodes.BadInternalError;
    if (error instanceof UaStatusError) statusCode = error.statusCode;
    else this.#sampling.runtime.log.log('error', 'monitoredItem.readFailed', { monitoredItemId: this.id, error });
    return new DataValue(undefined, statusCode, undefined, this.#sampling.runtime.clock.utcNow());
  }
}
