import type { CallerOwners, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import type { CallerEvidence, Owner, ProtectedWork, ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import { UserTokenType } from '@bulkhead/types';

/** SHA-1 thumbprint of a channel's client certificate (DER, perhaps with its chain). */
export type ThumbprintOf = (clientCertificate: Buffer) => string;

/** Gathers the evidence that channels and Sessions give and asks the provider what follows from it. The only place that does. */
export class ProviderCallerOwners implements CallerOwners {
  readonly #provider: ResourceIsolationProvider;
  readonly #thumbprintOf: ThumbprintOf;

  constructor(provider: ResourceIsolationProvider, thumbprintOf: ThumbprintOf) {
    this.#provider = provider;
    this.#thumbprintOf = thumbprintOf;
  }

  ownerOf(channel: SecureChannelContext, session: SessionContext | undefined, work?: ProtectedWork): Owner {
    const certificate = channel.clientCertificate;
    const identity = session?.isActivated === true && session.channel === channel ? session.identity : undefined;
    const evidence: CallerEvidence = {
      address: channel.remote.address,
      applicationThumbprint: certificate === undefined ? undefined : this.#thumbprintOf(certificate),
      applicationUri: session?.clientApplicationUri,
      userName: identity === undefined || identity.kind === UserTokenType.Anonymous ? undefined : identity.name,
      hasActivatedSession: identity !== undefined,
      roles: identity?.roles.map(String) ?? [],
      work: identity === undefined ? undefined : work,
    };
    return this.#provider.classifyOn?.(channel, identity, evidence) ?? this.#provider.classify(evidence);
  }

  channelClosed(channel: SecureChannelContext): void {
    this.#provider.channelClosed?.(channel);
  }
}
