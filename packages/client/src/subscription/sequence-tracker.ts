/** Where a message stands among the others of its Subscription. */
export interface SequenceStep {
  /** False for a message that came before, and for keep-alives. */
  readonly isNew: boolean;
  /** First SequenceNumber of a gap in front of this message. */
  readonly missingFrom: number;
  /** How many are missing. */
  readonly missingCount: number;
}

/** After the largest SequenceNumber comes 1. OPC 10000-4 §7.6. */
const MAX_SEQUENCE_NUMBER = 0xffffffff;
/** A jump of more is a message from before, or a server that began anew. */
const MAX_GAP = 10_000;

/** Finds gaps and repetitions in the SequenceNumbers of one Subscription. No I/O. */
export class SequenceTracker {
  #expected = 1;

  /** The SequenceNumber of the next message that is not a keep-alive. */
  get expected(): number {
    return this.#expected;
  }

  /** A new Subscription: numbers begin at 1. */
  reset(): void {
    this.#expected = 1;
  }

  /** A message was got by Republish, or is given up. */
  skipTo(next: number): void {
    this.#expected = next;
  }

  /**
   * @param isKeepAlive a keep-alive carries the number of the message that is to come next, and uses none.
   */
  accept(sequenceNumber: number, isKeepAlive: boolean): SequenceStep {
    const ahead = distance(this.#expected, sequenceNumber);
    if (ahead > MAX_GAP) return { isNew: false, missingFrom: 0, missingCount: 0 };
    const missingFrom = this.#expected;
    this.#expected = isKeepAlive ? sequenceNumber : nextSequenceNumber(sequenceNumber);
    return { isNew: !isKeepAlive, missingFrom, missingCount: ahead };
  }
}

export function nextSequenceNumber(sequenceNumber: number): number {
  return sequenceNumber >= MAX_SEQUENCE_NUMBER ? 1 : sequenceNumber + 1;
}

/** Steps from one number to another; large when `to` lies before `from`. */
function distance(from: number, to: number): number {
  return to >= from ? to - from : to - from + MAX_SEQUENCE_NUMBER;
}
