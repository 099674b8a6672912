import type { CallerEvidence, CallerIdentity } from '../owner.ts';
import type { ResourceIsolationClassifier } from './classifier.ts';

/** Asks several classifiers in turn; the first answer counts. */
export class FirstMatchClassifier implements ResourceIsolationClassifier {
  readonly #classifiers: readonly ResourceIsolationClassifier[];

  constructor(classifiers: readonly ResourceIsolationClassifier[]) {
    this.#classifiers = [...classifiers];
  }

  classifyIngress(address: string): CallerIdentity | undefined {
    for (const classifier of this.#classifiers) {
      const identity = classifier.classifyIngress?.(address);
      if (identity !== undefined) return identity;
    }
    return undefined;
  }

  classify(evidence: CallerEvidence): CallerIdentity | undefined {
    for (const classifier of this.#classifiers) {
      const identity = classifier.classify?.(evidence);
      if (identity !== undefined) return identity;
    }
    return undefined;
  }
}
