import type { Runtime } from '@bulkhead/contracts';
import { type Lease, type Owner, type Refusal, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import { EncodeBuffer, type ReassemblyAdmission, type SecureChannelEndpoints, ServerSecureChannel } from '@bulkhead/secure-channel';
import { ChannelIds } from './channel-ids.ts';
import type { AcceptedHello, ChannelSource } from './connection-environment.ts';
import type { ServerChannel } from './server-channel.ts';

export interface SecureChannelSourceOptions {
  readonly runtime: Runtime;
  readonly provider: ResourceIsolationProvider;
  readonly endpoints: SecureChannelEndpoints;
  /** Shortest token lifetime granted, ms; >= 1. */
  readonly minTokenLifetimeMs: number;
  /** Longest token lifetime granted, ms; >= `minTokenLifetimeMs`. */
  readonly maxTokenLifetimeMs: number;
  /** From the first chunk of a message to its last, ms. */
  readonly messageTimeoutMs: number;
}

/** Makes the SecureChannels of a server and gives them their ids. */
export class SecureChannelSource implements ChannelSource {
  readonly #options: SecureChannelSourceOptions;
  readonly #ids: ChannelIds;
  readonly #encodeBuffer: EncodeBuffer = new EncodeBuffer();

  constructor(options: SecureChannelSourceOptions) {
    this.#options = options;
    this.#ids = new ChannelIds(options.runtime.random);
  }

  create(hello: AcceptedHello): ServerChannel {
    const { runtime, provider, endpoints, minTokenLifetimeMs, maxTokenLifetimeMs, messageTimeoutMs } = this.#options;
    const { limits, endpointUrl, remote, transportProfileUri, leases } = hello;
    return new ServerSecureChannel({
      channelId: this.#ids.allocate(),
      limits,
      endpoints,
      remote,
      transportProfileUri,
      endpointUrl,
      clock: runtime.clock,
      random: runtime.random,
      reassembly: new OwnerReassembly(provider, leases.owner, remote.address),
      minTokenLifetimeMs,
      maxTokenLifetimeMs,
      partialMessageTimeoutMs: messageTimeoutMs,
      encodeBuffer: this.#encodeBuffer,
    });
  }

  disposed(channelId: number): void {
    this.#ids.release(channelId);
  }
}

/** Whom a channel's reassembler charges: the owner of its connection, or what the provider makes of a channel with a Session. */
class OwnerReassembly implements ReassemblyAdmission {
  readonly #provider: ResourceIsolationProvider;
  readonly #owner: Owner;
  readonly #address: string;

  constructor(provider: ResourceIsolationProvider, owner: Owner, address: string) {
    this.#provider = provider;
    this.#owner = owner;
    this.#address = address;
  }

  tryReserve(bytes: number, hasSession: boolean): Lease | Refusal {
    return this.#provider.tryAcquire(Stage.ReassemblyBytes, hasSession ? this.#sessionOwner() : this.#owner, bytes);
  }

  #sessionOwner(): Owner {
    return this.#provider.classify({
      address: this.#address,
      applicationThumbprint: undefined,
      applicationUri: undefined,
      userName: undefined,
      hasActivatedSession: true,
    });
  }
}
