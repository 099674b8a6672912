import { ResourceIsolationOptionsError } from '../options-error.ts';
import type { CallerEvidence, CallerIdentity } from '../owner.ts';
import type { ResourceIsolationClassifier } from './classifier.ts';

/** Applications that belong to `identity`: those with one of the certificates, and those with one of the URIs. */
export interface ApplicationRule {
  /** SHA-1 thumbprints of application certificates, as hex; upper or lower case, with or without colons. */
  readonly thumbprints?: readonly string[];
  /** ApplicationUris. */
  readonly uris?: readonly string[];
  readonly identity: CallerIdentity;
}

/**
 * Classifies by the validated application certificate; the first rule that has it counts. A URI counts only with a certificate,
 * since without one it is what the caller claims.
 */
export class ApplicationClassifier implements ResourceIsolationClassifier {
  readonly #byThumbprint: ReadonlyMap<string, Ranked>;
  readonly #byUri: ReadonlyMap<string, Ranked>;

  /** @throws ResourceIsolationOptionsError for a rule that matches nothing or a thumbprint that is none. */
  constructor(rules: readonly ApplicationRule[]) {
    const byThumbprint = new Map<string, Ranked>();
    const byUri = new Map<string, Ranked>();
    rules.forEach(({ thumbprints = [], uris = [], identity }, rank) => {
      if (thumbprints.length + uris.length === 0) {
        throw new ResourceIsolationOptionsError(`rules[${rank}]`, 'a thumbprint or a URI', undefined);
      }
      for (const [at, text] of thumbprints.entries()) {
        const thumbprint = normalized(text);
        if (!/^[\dA-F]{40}$/u.test(thumbprint)) {
          throw new ResourceIsolationOptionsError(`rules[${rank}].thumbprints[${at}]`, '40 hex digits', text);
        }
        if (!byThumbprint.has(thumbprint)) byThumbprint.set(thumbprint, { rank, identity });
      }
      for (const uri of uris) if (!byUri.has(uri)) byUri.set(uri, { rank, identity });
    });
    this.#byThumbprint = byThumbprint;
    this.#byUri = byUri;
  }

  classify({ applicationThumbprint, applicationUri }: CallerEvidence): CallerIdentity | undefined {
    if (applicationThumbprint === undefined) return undefined;
    const certified = this.#byThumbprint.get(normalized(applicationThumbprint));
    const named = applicationUri === undefined ? undefined : this.#byUri.get(applicationUri);
    if (certified === undefined || named === undefined) return (certified ?? named)?.identity;
    return (certified.rank <= named.rank ? certified : named).identity;
  }
}

interface Ranked {
  readonly rank: number;
  readonly identity: CallerIdentity;
}

function normalized(thumbprint: string): string {
  return thumbprint.replaceAll(':', '').toUpperCase();
}
