import type { Runtime } from '@bulkhead/contracts';
import { EncodeBuffer, type SecureChannelEndpoints, ServerSecureChannel } from '@bulkhead/secure-channel';
import type { BlockPool } from '@bulkhead/uacp';
import type { ChannelIds } from './channel-ids.ts';
import type { AcceptedHello, ChannelSource } from './connection-environment.ts';
import type { ServerChannel } from './server-channel.ts';

export interface SecureChannelSourceOptions {
  readonly runtime: Runtime;
  readonly ids: ChannelIds;
  readonly endpoints: SecureChannelEndpoints;
  /** Shortest token lifetime granted, ms; >= 1. */
  readonly minTokenLifetimeMs: number;
  /** Longest token lifetime granted, ms; >= `minTokenLifetimeMs`. */
  readonly maxTokenLifetimeMs: number;
  /** From the first chunk of a message to its last, ms. */
  readonly messageTimeoutMs: number;
  /** For unfinished incoming messages. */
  readonly blockPool: BlockPool;
}

/** Makes the SecureChannels of a server and gives them their ids. */
export class SecureChannelSource implements ChannelSource {
  readonly #options: SecureChannelSourceOptions;
  readonly #ids: ChannelIds;
  readonly #encodeBuffer: EncodeBuffer = new EncodeBuffer();

  constructor(options: SecureChannelSourceOptions) {
    this.#options = options;
    this.#ids = options.ids;
  }

  create(hello: AcceptedHello): ServerChannel {
    const { runtime, endpoints, minTokenLifetimeMs, maxTokenLifetimeMs, messageTimeoutMs, blockPool } = this.#options;
    const { limits, endpointUrl, remote, transportProfileUri, reassembly } = hello;
    return new ServerSecureChannel({
      channelId: this.#ids.allocate(),
      limits,
      endpoints,
      remote,
      transportProfileUri,
      endpointUrl,
      clock: runtime.clock,
      random: runtime.random,
      reassembly,
      minTokenLifetimeMs,
      maxTokenLifetimeMs,
      partialMessageTimeoutMs: messageTimeoutMs,
      encodeBuffer: this.#encodeBuffer,
      blockPool,
    });
  }

  disposed(channelId: number): void {
    this.#ids.release(channelId);
  }
}
