import type { SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { type CallerEvidence, type Lease, type ResourceIsolationProvider, Stage, stageNames } from '@bulkhead/resource-isolation';
import type { Certificate } from '@bulkhead/security';
import { StatusCodes, UaStatusError, UserTokenType } from '@bulkhead/types';

/** `BadServerTooBusy`, and when to try again. */
export class ServerTooBusyError extends UaStatusError {
  override readonly name: string = 'ServerTooBusyError';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super(StatusCodes.BadServerTooBusy, message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The one place where stage SessionEstablishment is asked: before any certificate or signature work. */
export class SessionEstablishment {
  readonly #provider: ResourceIsolationProvider;
  readonly #busyRetryAfterMs: number;

  constructor(provider: ResourceIsolationProvider, busyRetryAfterMs: number) {
    this.#provider = provider;
    this.#busyRetryAfterMs = busyRetryAfterMs;
  }

  /**
   * @param session the live Session that is activated again; undefined for a new one.
   * @returns a lease to dispose when the service is done.
   * @throws ServerTooBusyError when the stage is full.
   */
  enter(channel: SecureChannelContext, certificate: Certificate | undefined, session: SessionContext | undefined): Lease {
    const identity = session?.isActivated === true && session.channel === channel ? session.identity : undefined;
    const evidence: CallerEvidence = {
      address: channel.remote.address,
      applicationThumbprint: certificate?.thumbprint,
      applicationUri: session?.clientApplicationUri,
      userName: identity === undefined || identity.kind === UserTokenType.Anonymous ? undefined : identity.name,
      hasActivatedSession: identity !== undefined,
    };
    const answer = this.#provider.tryAcquire(Stage.SessionEstablishment, this.#provider.classify(evidence), 1);
    if (answer.kind === 'lease') return answer;
    const { stage, reason, usage, limit } = answer;
    throw new ServerTooBusyError(`${stageNames[stage]}: ${reason}, ${usage} of ${limit}`, this.#busyRetryAfterMs);
  }
}
