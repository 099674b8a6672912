import type { CallerOwners, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import type { Owner, ResourceIsolationProvider } from '@bulkhead/resource-isolation';

/** One question that was asked: over which channel, and in whose Session. */
export interface AskedOwner {
  readonly channel: SecureChannelContext;
  readonly session: SessionContext | undefined;
}

/** Takes the user of the Session, else the address, and remembers every question. */
export class RecordingOwners implements CallerOwners {
  readonly asked: AskedOwner[] = [];
  readonly closedChannels: SecureChannelContext[] = [];
  readonly #provider: ResourceIsolationProvider;

  constructor(provider: ResourceIsolationProvider) {
    this.#provider = provider;
  }

  ownerOf(channel: SecureChannelContext, session: SessionContext | undefined): Owner {
    this.asked.push({ channel, session });
    return this.#provider.classify({
      address: channel.remote.address,
      applicationThumbprint: undefined,
      applicationUri: session?.clientApplicationUri,
      userName: session?.identity.name,
      hasActivatedSession: session !== undefined,
    });
  }

  channelClosed(channel: SecureChannelContext): void {
    this.closedChannels.push(channel);
  }
}
