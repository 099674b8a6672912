import type { CallerOwner } from '../accounting/caller-owner.ts';
import type { CallerEvidence } from '../owner.ts';
import type { CallerClassification } from './caller-classification.ts';

/** More peers than these behind one channel are classified anew when their turn comes. */
export const MAX_CACHED_CALLERS_PER_CHANNEL = 8;

interface CachedCaller {
  readonly evidence: CallerEvidence;
  readonly activation: object | undefined;
  readonly owner: CallerOwner;
}

/**
 * Spares making the same owner again for each request of a channel. The classifier is asked each time all the same; only what
 * follows from evidence alone is kept, and used again only for the same evidence of the same activation. Decides no access.
 */
export class ClassificationCache {
  readonly #classification: CallerClassification;
  /** A channel's entries can be collected with it. */
  #channels: WeakMap<object, CachedCaller[]> = new WeakMap();

  constructor(classification: CallerClassification) {
    this.#classification = classification;
  }

  /**
   * @param channel what the evidence was observed on, by identity.
   * @param activation identity of the Session's activation; another one for each ActivateSession. Undefined without a Session.
   */
  ownerOf(channel: object, activation: object | undefined, evidence: CallerEvidence): CallerOwner {
    const mapped = this.#classification.mapped(evidence);
    if (mapped !== undefined) return mapped;
    const entries = this.#channels.get(channel) ?? this.#addChannel(channel);
    for (const entry of entries) {
      if (entry.activation === activation && isSame(entry.evidence, evidence)) return entry.owner;
    }
    const owner = this.#classification.grouped(evidence);
    if (entries.length >= MAX_CACHED_CALLERS_PER_CHANNEL) entries.shift();
    entries.push({ evidence: { ...evidence }, activation, owner });
    return owner;
  }

  /** Entries of a channel now, at most 8. */
  entryCount(channel: object): number {
    return this.#channels.get(channel)?.length ?? 0;
  }

  /** The channel is closed. */
  forget(channel: object): void {
    this.#channels.delete(channel);
  }

  #addChannel(channel: object): CachedCaller[] {
    const entries: CachedCaller[] = [];
    this.#channels.set(channel, entries);
    return entries;
  }
}

/** What `grouped` looks at. */
function isSame(a: CallerEvidence, b: CallerEvidence): boolean {
  return (
    a.address === b.address &&
    a.applicationThumbprint === b.applicationThumbprint &&
    a.userName === b.userName &&
    a.hasActivatedSession === b.hasActivatedSession &&
    a.work === b.work
  );
}
