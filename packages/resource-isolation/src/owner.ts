/** Classes of caller. */
export type OwnerClass = 'Shared' | 'Bootstrap' | 'Reconnect' | 'Control' | 'Trusted';

/** The accounting group that is charged for work. */
export interface Owner {
  /** Stable text key, such as `address:127.0.0.2`; never leaves the process as a metric label. */
  readonly key: string;
  readonly ownerClass: OwnerClass;
  /** Turns per round, >= 1. */
  readonly weight: number;
}

/** What is known of a caller; every field may be missing. */
export interface CallerEvidence {
  readonly address: string;
  /** Thumbprint of the validated application certificate; undefined with SecurityPolicy None. */
  readonly applicationThumbprint: string | undefined;
  readonly applicationUri: string | undefined;
  /** Name of the authenticated user; undefined when anonymous or before activation. */
  readonly userName: string | undefined;
  /** True when the channel carries an activated Session. */
  readonly hasActivatedSession: boolean;
}
