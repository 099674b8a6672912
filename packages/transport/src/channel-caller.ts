import type { CallerOwners, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { type Lease, type Owner, type Refusal, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import type { ReassemblyAdmission } from '@bulkhead/secure-channel';

/**
 * Who speaks over one connection, from all that is verified at the moment: whom its unfinished messages and unsent responses are
 * charged to. The connection itself and its handshakes stay with the ingress owner, who was admitted when nothing else was known;
 * so a caller gains no second allowance by what it shows later.
 */
export class ChannelCaller implements ReassemblyAdmission {
  readonly #provider: ResourceIsolationProvider;
  readonly #owners: CallerOwners;
  readonly #ingressOwner: Owner;
  #channel: SecureChannelContext | undefined;
  #session: SessionContext | undefined;

  constructor(provider: ResourceIsolationProvider, owners: CallerOwners, ingressOwner: Owner) {
    this.#provider = provider;
    this.#owners = owners;
    this.#ingressOwner = ingressOwner;
  }

  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  channelOpened(channel: SecureChannelContext): void {
    this.#channel = channel;
  }

  /** @param session an activated Session that is bound to the channel; undefined when none is left. */
  setSession(session: SessionContext | undefined): void {
    this.#session = session;
  }

  /** As of now; may be another one at the next call. */
  owner(): Owner {
    return this.#channel === undefined ? this.#ingressOwner : this.#owners.ownerOf(this.#channel, this.#session);
  }

  ownerOfMessage(): Owner {
    return this.owner();
  }

  tryReserve(owner: Owner, bytes: number): Lease | Refusal {
    return this.#provider.tryAcquire(Stage.ReassemblyBytes, owner, bytes);
  }
}
