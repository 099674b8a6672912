import type { RequestSink, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import type { ChannelIds } from '@bulkhead/transport';
import { IdentifierType, type NodeId } from '@bulkhead/types';
import { HttpsChannel, type HttpsChannelSeed } from './https-channel.ts';

/**
 * All `HttpsChannel`s of a server. Their number is bounded by those of connections, of Sessions and of requests on their way: each is
 * held by one of these and closes with it.
 */
export class HttpsChannels {
  readonly #sink: RequestSink;
  readonly #ids: ChannelIds;
  readonly #sessionlessEnded: ((session: SessionContext) => void) | undefined;
  readonly #open: Set<HttpsChannel> = new Set();
  readonly #byToken: Map<string, HttpsChannel> = new Map();

  /** @param sessionlessEnded told when the channel of a session-less caller is closed. */
  constructor(sink: RequestSink, ids: ChannelIds, sessionlessEnded?: (session: SessionContext) => void) {
    this.#sessionlessEnded = sessionlessEnded;
    this.#sink = sink;
    this.#ids = ids;
  }

  get openCount(): number {
    return this.#open.size;
  }

  create(seed: Omit<HttpsChannelSeed, 'channelId'>): HttpsChannel {
    const channel = new HttpsChannel({ ...seed, channelId: this.#ids.allocate() });
    this.#open.add(channel);
    return channel;
  }

  /** The channel of the Session with this AuthenticationToken, whatever connection it was created on. */
  byToken(token: NodeId): HttpsChannel | undefined {
    const key = keyOf(token);
    return key === undefined ? undefined : this.#byToken.get(key);
  }

  /** A Session was created on the channel: from now on the channel is the Session's own. */
  bind(channel: HttpsChannel, token: NodeId): void {
    const key = keyOf(token);
    if (key === undefined || !channel.isOpen || channel.isRetired) return;
    channel.tokenKey = key;
    this.#byToken.set(key, channel);
  }

  requestBegins(channel: HttpsChannel): void {
    channel.openRequests++;
  }

  requestEnds(channel: HttpsChannel): void {
    channel.openRequests--;
    if (channel.isRetired && channel.openRequests === 0) this.close(channel);
  }

  /** What held the channel is gone: it closes once its requests are answered. Idempotent; channels of other transports are ignored. */
  retire(channel: SecureChannelContext): void {
    if (!(channel instanceof HttpsChannel) || !this.#open.has(channel)) return;
    channel.isRetired = true;
    this.#forgetToken(channel);
    if (channel.openRequests === 0) this.close(channel);
  }

  /** Drops what is open on the channel. Idempotent. */
  close(channel: HttpsChannel): void {
    if (!this.#open.delete(channel)) return;
    channel.isOpen = false;
    this.#forgetToken(channel);
    this.#sink.channelClosed(channel);
    if (channel.sessionless !== undefined) this.#sessionlessEnded?.(channel.sessionless);
    this.#ids.release(channel.channelId);
  }

  closeAll(): void {
    for (const channel of [...this.#open]) this.close(channel);
  }

  #forgetToken(channel: HttpsChannel): void {
    if (channel.tokenKey !== undefined) this.#byToken.delete(channel.tokenKey);
    channel.tokenKey = undefined;
  }
}

/** AuthenticationTokens are opaque; nothing else is looked for. */
function keyOf(token: NodeId): string | undefined {
  if (token.identifierType !== IdentifierType.Opaque || token.namespaceIndex !== 0) return undefined;
  const bytes = token.identifier as Uint8Array;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
