import type { CallerOwners, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { type Lease, type ResourceIsolationProvider, Stage, stageNames } from '@bulkhead/resource-isolation';
import { ServerTooBusyError } from '@bulkhead/types';

/** What `SessionEstablishment` works with. */
export interface SessionEstablishmentParts {
  readonly provider: ResourceIsolationProvider;
  readonly owners: CallerOwners;
  readonly busyRetryAfterMs: number;
}

/** The one place where stage SessionEstablishment is asked: before any certificate or signature work. */
export class SessionEstablishment {
  readonly #parts: SessionEstablishmentParts;

  constructor(parts: SessionEstablishmentParts) {
    this.#parts = parts;
  }

  /**
   * @param session the live Session that is activated again; undefined for a new one.
   * @param isReturning it is bound to another channel and may move to this one.
   * @returns a lease to dispose when the service is done.
   * @throws ServerTooBusyError when the stage is full.
   */
  enter(channel: SecureChannelContext, session: SessionContext | undefined, isReturning: boolean): Lease {
    const { provider, owners, busyRetryAfterMs } = this.#parts;
    const owner = isReturning ? owners.ownerOf(channel, session, 'Reconnect') : owners.ownerOf(channel, session);
    const answer = provider.tryAcquire(Stage.SessionEstablishment, owner, 1);
    if (answer.kind === 'lease') return answer;
    const { id, stage, reason, usage, limit } = answer;
    throw new ServerTooBusyError({ id, stage: stageNames[stage] as string, reason, usage, limit }, busyRetryAfterMs);
  }
}
