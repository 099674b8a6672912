import { LatencyHistogram } from '../latency-histogram.ts';
import type { SubscriberFigures } from './storm-messages.ts';

/** What became of the messages. */
export type TimingFigures = Omit<SubscriberFigures, 'timerP99Ms' | 'timerMaxMs'>;

/**
 * Judges the messages of one Subscription that has something to report in every publishing interval. Lateness is counted from the
 * intervals' own beat, as it was when nothing disturbed the server, so that a server that is late as a whole can't hide it.
 */
export class NotificationTiming {
  readonly #intervalMs: number;
  readonly #lateness: LatencyHistogram = new LatencyHistogram();
  /** When the next message is due; undefined until the first came. */
  #dueMs: number | undefined;
  #isSettled = false;
  #expectedSequenceNumber: number | undefined;
  #missingMessages = 0;
  #skippedMs = 0;
  #maxLatenessMs = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** The beat is known by now: from here on it counts. */
  begin(): void {
    this.#isSettled = true;
    this.#lateness.clear();
    this.#missingMessages = this.#skippedMs = this.#maxLatenessMs = 0;
  }

  take(sequenceNumber: number, nowMs: number): void {
    this.#takeTime(nowMs);
    const missing = sequenceNumber - (this.#expectedSequenceNumber ?? sequenceNumber);
    if (missing > 0) this.#missingMessages += missing;
    this.#expectedSequenceNumber = sequenceNumber + 1;
  }

  figures(): TimingFigures {
    return {
      notifications: this.#lateness.count,
      p50LatenessMs: this.#lateness.quantileMs(0.5),
      p99LatenessMs: this.#lateness.quantileMs(0.99),
      maxLatenessMs: this.#maxLatenessMs,
      missingMessages: this.#missingMessages,
      skippedIntervals: Math.round(this.#skippedMs / this.#intervalMs),
    };
  }

  #takeTime(nowMs: number): void {
    const dueMs = this.#dueMs ?? nowMs;
    // While the beat is looked for, the earliest message sets it.
    const latenessMs = this.#isSettled ? Math.max(0, nowMs - dueMs) : 0;
    this.#lateness.record(latenessMs);
    this.#maxLatenessMs = Math.max(this.#maxLatenessMs, latenessMs);
    // A server that is late by a whole interval begins a new beat.
    const isSkipped = latenessMs > this.#intervalMs;
    if (isSkipped) this.#skippedMs += nowMs - dueMs;
    this.#dueMs = (isSkipped || (!this.#isSettled && nowMs < dueMs) ? nowMs : dueMs) + this.#intervalMs;
  }
}
