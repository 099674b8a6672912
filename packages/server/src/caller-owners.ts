import type { CallerOwners, SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import type { CallerEvidence, Owner, ProtectedWork, ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import { UserTokenType } from '@bulkhead/types';

/** SHA-1 thumbprint of a channel's client certificate (DER, perhaps with its chain). */
export type ThumbprintOf = (clientCertificate: Buffer) => string;

/** More callers than these on one channel have their evidence gathered anew when their turn comes. */
const MAX_CALLERS_PER_CHANNEL = 8;

/** Evidence, and what it was gathered from. */
interface GatheredEvidence {
  readonly session: SessionContext | undefined;
  /** Of the Session's activation; another one for each. */
  readonly identity: UserIdentity | undefined;
  readonly isReturning: boolean;
  readonly work: ProtectedWork | undefined;
  readonly evidence: CallerEvidence;
  /** What follows, where nothing else does. */
  owner: Owner | undefined;
}

/** What one channel shows of its callers. */
class ChannelEvidence {
  readonly certificate: Buffer | undefined;
  readonly thumbprint: string | undefined;
  readonly gathered: GatheredEvidence[] = [];

  constructor(certificate: Buffer | undefined, thumbprint: string | undefined) {
    this.certificate = certificate;
    this.thumbprint = thumbprint;
  }
}

/**
 * Gathers the evidence that channels and Sessions give and asks the provider what follows from it. The only place that does.
 * Evidence is kept as long as it is the same, so that asking for each request costs little; the provider is asked each time unless
 * nothing but evidence decides.
 */
export class ProviderCallerOwners implements CallerOwners {
  readonly #provider: ResourceIsolationProvider;
  readonly #thumbprintOf: ThumbprintOf;
  /** Of open channels. */
  readonly #channels: Map<SecureChannelContext, ChannelEvidence> = new Map();

  constructor(provider: ResourceIsolationProvider, thumbprintOf: ThumbprintOf) {
    this.#provider = provider;
    this.#thumbprintOf = thumbprintOf;
  }

  ownerOf(channel: SecureChannelContext, session: SessionContext | undefined, work?: ProtectedWork): Owner {
    const isBound = session?.isActivated === true && session.channel === channel;
    const isReturning = !isBound && session?.isActivated === true && work === 'Reconnect';
    const identity = isBound || isReturning ? session.identity : undefined;
    const gathered = this.#gather(channel, session, identity, isReturning, identity === undefined ? undefined : work);
    if (gathered.owner !== undefined) return gathered.owner;
    const { evidence } = gathered;
    const owner = this.#provider.classifyOn?.(channel, identity, evidence) ?? this.#provider.classify(evidence);
    if (this.#provider.ownersFollowEvidence === true) gathered.owner = owner;
    return owner;
  }

  channelClosed(channel: SecureChannelContext): void {
    this.#channels.delete(channel);
    this.#provider.channelClosed?.(channel);
  }

  #gather(
    channel: SecureChannelContext,
    session: SessionContext | undefined,
    identity: UserIdentity | undefined,
    isReturning: boolean,
    work: ProtectedWork | undefined,
  ): GatheredEvidence {
    const known = this.#channels.get(channel);
    const shown = known !== undefined && known.certificate === channel.clientCertificate ? known : this.#look(channel);
    const { gathered } = shown;
    for (const entry of gathered) {
      if (entry.session === session && entry.identity === identity && entry.work === work && entry.isReturning === isReturning)
        return entry;
    }
    const entry: GatheredEvidence = {
      session,
      identity,
      isReturning,
      work,
      evidence: {
        address: channel.remote.address,
        applicationThumbprint: shown.thumbprint,
        applicationUri: session?.clientApplicationUri,
        // Who comes back over another channel has yet to show who its user is.
        userName: identity === undefined || isReturning || identity.kind === UserTokenType.Anonymous ? undefined : identity.name,
        hasActivatedSession: identity !== undefined,
        roles: identity === undefined || isReturning ? [] : identity.roles.map(String),
        work,
      },
      owner: undefined,
    };
    if (gathered.length >= MAX_CALLERS_PER_CHANNEL) gathered.shift();
    gathered.push(entry);
    return entry;
  }

  #look(channel: SecureChannelContext): ChannelEvidence {
    const certificate = channel.clientCertificate;
    const shown = new ChannelEvidence(certificate, certificate === undefined ? undefined : this.#thumbprintOf(certificate));
    if (channel.isOpen) this.#channels.set(channel, shown);
    return shown;
  }
}
