import { randomBytes } from 'node:crypto';
import type { Clock } from '@bulkhead/contracts';
import { type ClientChannelEvent, ClientSecureChannel } from '@bulkhead/secure-channel';
import { DateTime, MessageSecurityMode } from '@bulkhead/types';
import type { ClientSecurity } from './client-security.ts';
import { type Acknowledge, BUFFER_BYTES } from './handshake.ts';
import type { MessageChannel, MessageReceiver, OpenExchange } from './message-channel.ts';

const TOKEN_LIFETIME_MS = 3_600_000;
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_CHUNKS = 4096;
const OPEN_REQUEST_ID = 1;
const clock: Clock = { nowMs: () => performance.now(), utcNow: () => DateTime.fromUnixMs(Date.now()) };

/** SignAndEncrypt by way of Bulkhead's own client channel. */
export class SecuredChannel implements MessageChannel {
  readonly #security: ClientSecurity;
  #channel: ClientSecureChannel | undefined;

  constructor(security: ClientSecurity) {
    this.#security = security;
  }

  async open(exchange: OpenExchange, acknowledge: Acknowledge): Promise<void> {
    const { policy, identity, serverCertificate } = this.#security;
    const channel = new ClientSecureChannel({
      limits: {
        protocolVersion: 0,
        helloProtocolVersion: 0,
        receiveBufferSize: BUFFER_BYTES,
        sendBufferSize: acknowledge.receiveBufferBytes,
        maxReceiveMessageBytes: MAX_MESSAGE_BYTES,
        maxReceiveChunks: MAX_CHUNKS,
        maxSendMessageBytes: acknowledge.maxMessageBytes || MAX_MESSAGE_BYTES,
        maxSendChunks: acknowledge.maxChunkCount || MAX_CHUNKS,
      },
      policy,
      mode: MessageSecurityMode.SignAndEncrypt,
      identity,
      serverCertificate,
      requestedLifetimeMs: TOKEN_LIFETIME_MS,
      clock,
      random: { bytes: randomBytes },
    });
    this.#channel = channel;
    const response = await exchange(await channel.open(OPEN_REQUEST_ID));
    const { kind } = await channel.receive(response, clock.nowMs());
    if (kind !== 'opened') throw new Error('the answer to OpenSecureChannel is of another kind');
  }

  encode(requestId: number, body: Buffer): readonly Buffer[] {
    return this.#open.encodeMessage(requestId, (writer) => writer.writeBytes(body), MAX_MESSAGE_BYTES);
  }

  decode(bytes: Buffer, start: number, end: number, receive: MessageReceiver): void {
    // Only OpenSecureChannel gives a promise.
    const event = this.#open.receive(bytes.subarray(start, end), clock.nowMs()) as ClientChannelEvent;
    if (event.kind === 'message') receive(event.requestId, event.message, 0, event.message.length);
    else if (event.kind === 'aborted') throw new Error(`the server aborted a response: ${event.reason}`);
  }

  encodeClose(requestId: number): readonly Buffer[] {
    return this.#open.close(requestId);
  }

  get #open(): ClientSecureChannel {
    if (this.#channel === undefined) throw new Error('the channel is not open');
    return this.#channel;
  }
}
