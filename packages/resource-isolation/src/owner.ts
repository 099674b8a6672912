/** Classes of caller. All but `Shared` have reserves, where the mode and the stage give them one. */
export type OwnerClass = 'Shared' | 'Bootstrap' | 'Reconnect' | 'Control' | 'Trusted';

/** Work that may use a reserve when a live Session vouches for it: to come back, or to give resources back. */
export type ProtectedWork = 'Reconnect' | 'Control';

/** The accounting group that is charged for work. One key may come in several classes; each is counted apart. */
export interface Owner {
  /** Stable text key, such as `address:127.0.0.2`; never leaves the process as a metric label. */
  readonly key: string;
  readonly ownerClass: OwnerClass;
  /** Turns per round, >= 1. */
  readonly weight: number;
  /** It may use the reconnect reserve of ReassemblyBytes, and only of that, because its channel carries an activated Session. */
  readonly isSessionBound?: boolean;
  /** Its request may use this reserve, because a live Session asked for it. Charged to the same owner all the same. */
  readonly work?: ProtectedWork | undefined;
}

/** What is known of a caller; every field may be missing. */
export interface CallerEvidence {
  readonly address: string;
  /** Thumbprint of the validated application certificate; undefined with SecurityPolicy None. */
  readonly applicationThumbprint: string | undefined;
  /** Counts only together with `applicationThumbprint`: without a certificate it is what the caller claims. */
  readonly applicationUri: string | undefined;
  /** Name of the authenticated user; undefined when anonymous or before activation. */
  readonly userName: string | undefined;
  /** True when the channel carries an activated Session. */
  readonly hasActivatedSession: boolean;
  /** Roles that the activated Session has, as text (role NodeIds). Default none. */
  readonly roles?: readonly string[];
  /** Kind of work asked for; counts only with an activated Session, for the name of a service alone is no evidence. */
  readonly work?: ProtectedWork | undefined;
}

/** What a classifier says of a caller. */
export interface CallerIdentity {
  readonly key: string;
  readonly ownerClass: OwnerClass;
}
