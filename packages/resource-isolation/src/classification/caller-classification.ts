import { CallerOwner } from '../accounting/caller-owner.ts';
import type { CallerEvidence, CallerIdentity, OwnerClass } from '../owner.ts';
import type { ResourceIsolationPlan } from '../plan/plan.ts';
import { addressGroup } from './address-group.ts';
import type { ResourceIsolationClassifier } from './classifier.ts';
import { foldMappedAddress } from './ip-address.ts';

const ownerClasses: readonly OwnerClass[] = ['Shared', 'Bootstrap', 'Reconnect', 'Control', 'Trusted'];

/**
 * Makes owners of evidence, the strongest first: what a classifier says, where the connection came in, the authenticated user,
 * the validated application, the observed address. Only a classifier puts anybody into another class than Shared.
 */
export class CallerClassification {
  readonly #classifier: ResourceIsolationClassifier | undefined;
  readonly #defaultWeight: number;
  readonly #maxKeyLength: number;
  readonly #ipv6PrefixLength: number;
  readonly #trusted: ReadonlyMap<string, CallerOwner>;
  readonly #onClassifierError: ((error: unknown) => void) | undefined;

  constructor(
    plan: ResourceIsolationPlan,
    classifier: ResourceIsolationClassifier | undefined,
    onClassifierError: ((error: unknown) => void) | undefined,
  ) {
    this.#classifier = classifier;
    this.#defaultWeight = plan.defaultWeight;
    this.#maxKeyLength = plan.maxOwnerKeyLength;
    this.#ipv6PrefixLength = plan.ipv6PrefixLength;
    this.#trusted = new Map(plan.trustedOwners.map(({ key, weight }) => [key, new CallerOwner(key, 'Trusted', weight, false, undefined)]));
    this.#onClassifierError = onClassifierError;
  }

  ofAddress(address: string): CallerOwner {
    return this.#mapIngress(address) ?? this.#ordinary(this.#addressKey(address), false, undefined);
  }

  of(evidence: CallerEvidence): CallerOwner {
    return this.mapped(evidence) ?? this.grouped(evidence);
  }

  /** What the classifier says, asked anew each time. */
  mapped(evidence: CallerEvidence): CallerOwner | undefined {
    const classifier = this.#classifier;
    if (classifier === undefined) return undefined;
    if (classifier.classify !== undefined) {
      let identity: CallerIdentity | undefined;
      try {
        identity = classifier.classify(verifiedEvidence(evidence));
      } catch (error) {
        return this.#refused(error);
      }
      if (identity !== undefined) return this.#mappedOwner(identity);
    }
    return this.#mapIngress(evidence.address);
  }

  /** By user, else application, else address; keys that are too long give way to weaker evidence. Depends on nothing else. */
  grouped(evidence: CallerEvidence): CallerOwner {
    const { hasActivatedSession, userName, applicationThumbprint } = evidence;
    const work = hasActivatedSession ? evidence.work : undefined;
    if (hasActivatedSession && userName !== undefined) {
      const key = `user:${userName}`;
      if (key.length <= this.#maxKeyLength) return this.#ordinary(key, true, work);
    }
    if (applicationThumbprint !== undefined) {
      const key = `application:${applicationThumbprint}`;
      if (key.length <= this.#maxKeyLength) return this.#ordinary(key, hasActivatedSession, work);
    }
    return this.#ordinary(this.#addressKey(evidence.address), hasActivatedSession, work);
  }

  #mapIngress(address: string): CallerOwner | undefined {
    const classifier = this.#classifier;
    if (classifier?.classifyIngress === undefined) return undefined;
    try {
      const identity = classifier.classifyIngress(foldMappedAddress(address));
      return identity === undefined ? undefined : this.#mappedOwner(identity);
    } catch (error) {
      return this.#refused(error);
    }
  }

  /** An explicit mapping is the last word: a Session makes no more of it. */
  #mappedOwner({ key, ownerClass }: CallerIdentity): CallerOwner {
    if (typeof key !== 'string' || !ownerClasses.includes(ownerClass)) return this.#invalid();
    if (ownerClass === 'Trusted') return this.#trusted.get(key) ?? new CallerOwner(key, 'Trusted', this.#defaultWeight, false, undefined);
    return new CallerOwner(key, ownerClass, this.#defaultWeight, false, undefined);
  }

  #addressKey(address: string): string {
    return `address:${addressGroup(address, this.#ipv6PrefixLength)}`;
  }

  #ordinary(key: string, isSessionBound: boolean, work: CallerEvidence['work']): CallerOwner {
    return new CallerOwner(key, 'Shared', this.#defaultWeight, isSessionBound, work);
  }

  /** Nothing is known of a caller whose classifier fails, so it gets nothing. */
  #refused(error: unknown): CallerOwner {
    this.#onClassifierError?.(error);
    return this.#invalid();
  }

  /** No configured owner has an empty key, so every stage refuses it. */
  #invalid(): CallerOwner {
    return new CallerOwner('', 'Trusted', this.#defaultWeight, false, undefined);
  }
}

/** Only what is verified: a name that nobody checked is none. */
function verifiedEvidence(evidence: CallerEvidence): CallerEvidence {
  const { hasActivatedSession, applicationThumbprint } = evidence;
  return {
    address: foldMappedAddress(evidence.address),
    applicationThumbprint,
    applicationUri: applicationThumbprint === undefined ? undefined : evidence.applicationUri,
    userName: hasActivatedSession ? evidence.userName : undefined,
    hasActivatedSession,
    roles: hasActivatedSession ? (evidence.roles ?? []) : [],
    work: hasActivatedSession ? evidence.work : undefined,
  };
}
