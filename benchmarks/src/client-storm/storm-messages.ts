/** What the subscriber of a storm tells the process that started it. */
export type SubscriberMessage = { readonly kind: 'ready' } | { readonly kind: 'figures'; readonly figures: SubscriberFigures };

/** What the process that started the subscriber tells it: measure anew from now on, or report and go. */
export type SubscriberCommand = 'begin' | 'end';

/** How a subscriber fared. */
export interface SubscriberFigures {
  readonly notifications: number;
  readonly p50LatenessMs: number;
  readonly p99LatenessMs: number;
  readonly maxLatenessMs: number;
  /** Messages that never came, by SequenceNumber. */
  readonly missingMessages: number;
  /** Publishing intervals in which no message was sent, though there were values. */
  readonly skippedIntervals: number;
  /** How late a timer of the same interval was in the subscriber's own process: what the machine adds to everything. */
  readonly timerP99Ms: number;
  readonly timerMaxMs: number;
}
