import type { CallerOwners, EstablishingService, SecureChannelContext, SessionGate } from '@bulkhead/contracts';
import { type Lease, type Owner, type Refusal, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import type { NodeId, RequestHeader } from '@bulkhead/types';
import { mayReturn } from './returning-session.ts';
import type { Session } from './session.ts';

/** What `SessionEstablishment` works with. */
export interface SessionEstablishmentParts {
  readonly provider: ResourceIsolationProvider;
  readonly owners: CallerOwners;
  /** @throws UaStatusError BadSessionIdInvalid. */
  readonly findSession: (authenticationToken: NodeId) => Session;
}

/** The one place where stage SessionEstablishment is asked: before the request runs, so before any certificate or signature work. */
export class SessionEstablishment implements SessionGate {
  readonly #parts: SessionEstablishmentParts;
  readonly #freedListeners: (() => void)[] = [];
  #placesInUse = 0;

  constructor(parts: SessionEstablishmentParts) {
    this.#parts = parts;
  }

  get placesInUse(): number {
    return this.#placesInUse;
  }

  onPlaceFreed(listener: () => void): void {
    this.#freedListeners.push(listener);
  }

  /** For a Session that is bound to another channel and may move to this one, its client vouches that it comes back. */
  ownerOf(service: EstablishingService, channel: SecureChannelContext, { authenticationToken }: RequestHeader): Owner {
    const { owners, findSession } = this.#parts;
    if (service === 'CreateSession') return owners.ownerOf(channel, undefined);
    const session = findSession(authenticationToken);
    return mayReturn(session, channel) ? owners.ownerOf(channel, session, 'Reconnect') : owners.ownerOf(channel, session);
  }

  enter(owner: Owner): Lease | Refusal {
    const answer = this.#parts.provider.tryAcquire(Stage.SessionEstablishment, owner, 1);
    if (answer.kind === 'refusal') return answer;
    this.#placesInUse++;
    return new SessionPlace(answer, () => this.#freed());
  }

  #freed(): void {
    this.#placesInUse--;
    for (const listener of this.#freedListeners) listener();
  }
}

/** Tells of its end. */
class SessionPlace implements Lease {
  readonly kind = 'lease';
  readonly #lease: Lease;
  #onFreed: (() => void) | undefined;

  constructor(lease: Lease, onFreed: () => void) {
    this.#lease = lease;
    this.#onFreed = onFreed;
  }

  get stage(): Stage {
    return this.#lease.stage;
  }

  get amount(): number {
    return this.#lease.amount;
  }

  [Symbol.dispose](): void {
    const onFreed = this.#onFreed;
    this.#onFreed = undefined;
    this.#lease[Symbol.dispose]();
    onFreed?.();
  }
}
