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
  #held: Set<Sampled> = new Set();
  /** Those that waited for the period under way and aren't taken yet. */
  #released: Set<Sampled> = new Set();
  #period = 0;
  #hadChanges = false;
  #cursor = 0;

  constructor(scheduler: SamplingScheduler, intervalMs: number) {
    this.#scheduler = scheduler;
    this.intervalMs = intervalMs;
  }

  /** Items with a value that waits for the next period. */
  get heldCount(): number {
    return this.#held.size + this.#released.size;
  }

  /** The source of an item reports a new value. */
  report(item: Sampled, value: DataValue): void {
    if (item.acceptedPeriod === this.#period || item.heldValue !== undefined) {
      item.heldValue = value;
      if (!this.#released.has(item)) this.#held.add(item);
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
    this.#held.delete(item);
    this.#released.delete(item);
    const index = item.pollIndex;
    if (index < 0) return;
    item.pollIndex = -1;
    const last = this.#polled.pop() as Sampled;
    if (last === item) return;
    last.pollIndex = index;
    this.#polled[index] = last;
  }

  /** Starts a period; `takeUntil` does its work. @returns whether the group needs a further period. */
  startPeriod(): boolean {
    const isBusy = this.#hadChanges || this.#held.size > 0 || this.#polled.length > 0;
    this.#hadChanges = false;
    this.#period++;
    this.#released = this.#held;
    this.#held = new Set();
    this.#cursor = 0;
    return isBusy;
  }

  /** Takes values that waited and reads polled items until all had their turn or `deadlineMs` is past. @returns whether all had. */
  takeUntil(deadlineMs: number, runtime: Runtime): boolean {
    let count = 0;
    const isTimeUp = (): boolean => ++count % SAMPLES_PER_CLOCK_READ === 0 && runtime.clock.nowMs() >= deadlineMs;
    const polled = this.#polled;
    for (const item of this.#released) {
      this.#take(item);
      if (isTimeUp()) return this.#released.size === 0 && polled.length === 0;
    }
    while (this.#cursor < polled.length) {
      (polled[this.#cursor++] as Sampled).sample();
      if (isTimeUp()) break;
    }
    return this.#cursor >= polled.length;
  }

  #take(item: Sampled): void {
    this.#released.delete(item);
    const value = item.heldValue;
    if (value === undefined) return;
    item.heldValue = undefined;
    this.noteAccepted(item);
    item.accept(value);
  }
}

/** Groups MonitoredItems by sampling interval and runs the groups: one timer in all, work cut into slices. */
export class SamplingScheduler {
  /** How long work may hold the event loop at a time. */
  readonly sliceMs: number;
  readonly #runtime: Runtime;
  readonly #groups: Map<number, SamplingGroup> = new Map();
  readonly #due: DeadlineQueue<SamplingGroup>;
  /** Groups whose items still have to be read or taken in this period, oldest first. */
  readonly #unfinished: Set<SamplingGroup> = new Set();
  #isDeferred = false;
  readonly #continue: () => void;

  /** @param sliceMs how long polling may hold the event loop at a time. */
  constructor(runtime: Runtime, sliceMs: number) {
    this.#runtime = runtime;
    this.sliceMs = sliceMs;
    this.#due = new DeadlineQueue(runtime, (nowMs) => this.runDue(nowMs));
    this.#continue = () => {
      this.#isDeferred = false;
      this.#pollSlice();
    };
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  /** Values that wait for the next period of their group. */
  get heldCount(): number {
    let count = 0;
    for (const group of this.#groups.values()) count += group.heldCount;
    return count;
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
    const deadlineMs = this.#runtime.clock.nowMs() + this.sliceMs;
    for (const group of this.#unfinished) {
      if (!group.takeUntil(deadlineMs, this.#runtime)) {
        this.#isDeferred = true;
        this.#runtime.turns.defer(this.#continue);
        return;
      }
      this.#unfinished.delete(group);
    }
  }
}
