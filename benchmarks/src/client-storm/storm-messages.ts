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
  /** Values of the counter that never came. */
  readonly missingValues: number;
  /** Publishing intervals in which no message was sent, though there were values. */
  readonly skippedIntervals: number;
  /** Sampled values that were counted. */
  readonly values: number;
}
