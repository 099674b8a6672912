import type { Runtime } from '@bulkhead/contracts';
import type { DataValue } from '@bulkhead/types';
import { type Deadline, DeadlineQueue } from './deadline-queue.ts';

/** What a SamplingGroup needs of a MonitoredItem. The fields belong to the group. */
export interface Sampled {
  /** Position among the polled items; -1 when the item isn't polled. */
  pollIndex: number;
  /** The period of the group in which a value was taken last. */
  acceptedPeriod: number;
  /** The newest value that was reported too soon; taken when the next period starts. */
  heldValue: DataValue | undefined;
  /** Reads the value now. */
  sample(): void;
  /** Takes a value. */
  accept(value: DataValue): void;
}

/** Clock reads cost more than most samples; one per this many is enough. */
const SAMPLES_PER_CLOCK_READ = 64;

/**
 * All MonitoredItems of one sampling interval. Polled items are read once per period. Items whose source reports changes cost
 * nothing while nothing changes: a first change in a period is taken at once, further ones wait for the next period, the
 * newest wins. Without polled items and changes the group needs no timer.
 */
export class SamplingGroup implements Deadline {
  dueMs = 0;
  heapIndex = -1;
  readonly intervalMs: number;
  memberCount = 0;
  readonly #scheduler: SamplingScheduler;
  readonly #polled: Sampled[] = [];
  #held: Sampled[] = [];
  #period = 0;
  #hadChanges = false;
  #cursor = 0;

  constructor(scheduler: SamplingScheduler, intervalMs: number) {
    this.#scheduler = scheduler;
    this.intervalMs = intervalMs;
  }

  /** The source of an item reports a new value. */
  report(item: Sampled, value: DataValue): void {
    if (item.acceptedPeriod === this.#period) {
      if (item.heldValue === undefined) this.#held.push(item);
      item.heldValue = value;
      return;
    }
    this.noteAccepted(item);
    item.accept(value);
  }

  /** The item got a value in this period; the next one waits for the next period. */
  noteAccepted(item: Sampled): void {
    item.acceptedPeriod = this.#period;
    this.#hadChanges = true;
    if (this.heapIndex < 0) this.#scheduler.wake(this);
  }

  poll(item: Sampled): void {
    if (item.pollIndex >= 0) return;
    item.pollIndex = this.#polled.length;
    this.#polled.push(item);
    if (this.heapIndex < 0) this.#scheduler.wake(this);
  }

  forget(item: Sampled): void {
    item.heldValue = undefined;
    item.acceptedPeriod = -1;
    const index = item.pollIndex;
    if (index < 0) return;
    item.pollIndex = -1;
    const last = this.#polled.pop() as Sampled;
    if (last === item) return;
    last.pollIndex = index;
    this.#polled[index] = last;
  }

  /** Starts a period: takes the values that waited. @returns whether the group needs a further period. */
  startPeriod(): boolean {
    const held = this.#held;
    const isBusy = this.#hadChanges || held.length > 0 || this.#polled.length > 0;
    this.#hadChanges = false;
    this.#period++;
    if (held.length > 0) {
      this.#held = [];
      for (const item of held) {
        const value = item.heldValue;
        if (value === undefined) continue;
        item.heldValue = undefined;
        this.noteAccepted(item);
        item.accept(value);
      }
    }
    this.#cursor = 0;
    return isBusy;
  }

  /** Reads polled items until all had their turn or `deadlineMs` is past. @returns whether all had their turn. */
  pollUntil(deadlineMs: number, runtime: Runtime): boolean {
    const polled = this.#polled;
    while (this.#cursor < polled.length) {
      (polled[this.#cursor++] as Sampled).sample();
      if (this.#cursor % SAMPLES_PER_CLOCK_READ === 0 && runtime.clock.nowMs() >= deadlineMs) break;
    }
    return this.#cursor >= polled.length;
  }
}

/** Groups MonitoredItems by sampling interval and runs the groups: one timer in all, work cut into slices. */
export class SamplingScheduler {
  readonly #runtime: Runtime;
  readonly #sliceMs: number;
  readonly #groups: Map<number, SamplingGroup> = new Map();
  readonly #due: DeadlineQueue<SamplingGroup>;
  /** Groups whose polled items still have to be read in this period, oldest first. */
  readonly #unfinished: Set<SamplingGroup> = new Set();
  #isDeferred = false;
  readonly #continue: () => void;

  /** @param sliceMs how long polling may hold the event loop at a time. */
  constructor(runtime: Runtime, sliceMs: number) {
    this.#runtime = runtime;
    this.#sliceMs = sliceMs;
    this.#due = new DeadlineQueue(runtime, (nowMs) => this.runDue(nowMs));
    this.#continue = () => {
      this.#isDeferred = false;
      this.#pollSlice();
    };
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  get runtime(): Runtime {
    return this.#runtime;
  }

  /** @param intervalMs > 0. */
  join(intervalMs: number): SamplingGroup {
    let group = this.#groups.get(intervalMs);
    if (group === undefined) {
      group = new SamplingGroup(this, intervalMs);
      this.#groups.set(intervalMs, group);
    }
    group.memberCount++;
    return group;
  }

  leave(group: SamplingGroup, item: Sampled): void {
    group.forget(item);
    if (--group.memberCount > 0) return;
    this.#groups.delete(group.intervalMs);
    this.#due.remove(group);
    this.#unfinished.delete(group);
  }

  /** For groups: the first period starts now. */
  wake(group: SamplingGroup): void {
    this.#due.schedule(group, this.#runtime.clock.nowMs() + group.intervalMs);
  }

  /** Starts the periods that are due. Publishing calls it too, so that a cycle sees the samples of its own instant. */
  runDue(nowMs: number): void {
    for (let group = this.#due.popDue(nowMs); group !== undefined; group = this.#due.popDue(nowMs)) {
      // A group that can't keep up leaves periods out; it never piles them up.
      const nextMs = group.dueMs + group.intervalMs;
      const isBehind = this.#unfinished.has(group);
      if (!isBehind && !group.startPeriod()) continue;
      this.#due.schedule(group, nextMs > nowMs ? nextMs : nowMs + group.intervalMs);
      if (!isBehind) this.#unfinished.add(group);
    }
    if (!this.#isDeferred) this.#pollSlice();
  }

  clear(): void {
    this.#due.clear();
    this.#groups.clear();
    this.#unfinished.clear();
  }

  #pollSlice(): void {
    if (this.#unfinished.size === 0) return;
    const deadlineMs = this.#runtime.clock.nowMs() + this.#sliceMs;
    for (const group of this.#unfinished) {
      if (!group.pollUntil(deadlineMs, this.#runtime)) {
        this.#isDeferred = true;
        this.#runtime.turns.defer(this.#continue);
        return;
      }
      this.#unfinished.delete(group);
    }
  }
}
