import { UaStatusError } from './ua-status-error.ts';

/** Why something was refused: how full which limit is. Says nothing of other callers. */
export interface RefusalDetails {
  /** Counts refusals, so that one can be told from another. */
  readonly id: number;
  /** Name of the stage, such as `RequestQueue`. */
  readonly stage: string;
  /** Such as `Capacity` or `OwnerLimit`. */
  readonly reason: string;
  readonly usage: number;
  readonly limit: number;
}

const BAD_SERVER_TOO_BUSY = 0x80ee0000;

/** `BadServerTooBusy`, with when to try again and what was full. */
export class ServerTooBusyError extends UaStatusError {
  override readonly name: string = 'ServerTooBusyError';
  /** Milliseconds, >= 0. */
  readonly retryAfterMs: number;
  readonly refusal: RefusalDetails;

  constructor(refusal: RefusalDetails, retryAfterMs: number) {
    super(BAD_SERVER_TOO_BUSY, `${refusal.stage}: ${refusal.reason}, ${refusal.usage} of ${refusal.limit}`);
    this.retryAfterMs = retryAfterMs;
    this.refusal = refusal;
  }
}
