import { StatusCodes, UaStatusError } from '@bulkhead/types';

/** A sender may wrap once its last number is above this (UInt32.Max - 1024). OPC 10000-6 §6.7.2.4. */
const WRAP_ALLOWED_FROM = 4_294_966_271;
/** The first number after a wrap has to be below this. */
const WRAPPED_BELOW = 1024;
/** Where we wrap: between what §6.7.2.4 asks for and the end of UInt32. */
const LAST_SENT_BEFORE_WRAP = 4_294_966_783;

/**
 * Checks the SequenceNumbers of one direction: each is one more than the last, whatever the token; the first is free.
 * The rule of SecurityPolicies with LegacySequenceNumbers, which all RSA policies and None have. OPC 10000-6 §6.7.2.4.
 */
export class ReceivedSequenceNumbers {
  #last: number | undefined = undefined;

  /** @throws UaStatusError BadSequenceNumberInvalid; the channel has to be closed then. */
  accept(sequenceNumber: number): void {
    const last = this.#last;
    // The last number before a wrap is taken inclusively: implementations disagree about "greater than".
    const isNext = last === undefined || sequenceNumber === last + 1 || (last >= WRAP_ALLOWED_FROM && sequenceNumber < WRAPPED_BELOW);
    if (!isNext) {
      throw new UaStatusError(StatusCodes.BadSequenceNumberInvalid, `SequenceNumber ${sequenceNumber} after ${last}`);
    }
    this.#last = sequenceNumber;
  }
}

/** Numbers the chunks of one direction: 1, 2, 3 … and again from 1 near the end of UInt32. OPC 10000-6 §6.7.2.4. */
export class SentSequenceNumbers {
  #last: number;

  /** @param last the number before the first one. */
  constructor(last = 0) {
    this.#last = last;
  }

  next(): number {
    this.#last = this.#last >= LAST_SENT_BEFORE_WRAP ? 1 : this.#last + 1;
    return this.#last;
  }
}
