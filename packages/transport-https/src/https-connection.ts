import type { RemoteAddress } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import type { UnsentHolder, UnsentShare } from '@bulkhead/transport';
import type { HttpsChannel } from './https-channel.ts';
import type { HttpsEnvironment } from './https-environment.ts';
import { POLICY_NONE_URI } from './https-profiles.ts';
import { MessagePace } from './message-pace.ts';
import type { ServiceExchange } from './service-exchange.ts';
import type { SessionlessCount } from './sessionless/sessionless-budget.ts';
import { SessionlessCallers, type SessionlessUsers } from './sessionless/sessionless-callers.ts';

/** What is known of a connection that was admitted. */
export interface AcceptedConnection {
  readonly remote: RemoteAddress;
  /** Who is charged for it; nothing but its address is known of him. */
  readonly owner: Owner;
}

/** What carries a connection: a socket, or a WebSocket. */
export interface ConnectionSocket {
  /** A peer that takes nothing for so long is cut off. */
  setTimeout(timeoutMs: number): void;
  /** Closes once everything is written. */
  destroySoon(): void;
  destroy(): void;
}

/** What HTTPS keeps for one accepted connection: its requests on their way, and the channel of those without a Session. */
export class HttpsConnection implements UnsentHolder, SessionlessCount {
  readonly accepted: AcceptedConnection;
  /** All that comes and goes over it is paced together. */
  readonly pace: MessagePace;
  readonly #environment: HttpsEnvironment;
  readonly #socket: ConnectionSocket;
  readonly #exchanges: Set<ServiceExchange> = new Set();
  readonly #unsent: UnsentShare;
  readonly #maxRequests: number;
  /** By transport profile. */
  readonly #channels: Map<string, HttpsChannel> = new Map();
  sessionlessRequests = 0;
  #sessionless: SessionlessCallers | undefined = undefined;
  #unsentBytes = 0;
  #ignoredRequests = 0;
  #isClosing = false;
  #isClosed = false;

  /** @param maxRequests on their way at a time. */
  constructor(environment: HttpsEnvironment, accepted: AcceptedConnection, socket: ConnectionSocket, maxRequests: number) {
    this.#environment = environment;
    this.accepted = accepted;
    this.#socket = socket;
    this.#maxRequests = maxRequests;
    const { runtime, throttles } = environment;
    this.pace = new MessagePace(runtime, throttles?.attach(accepted.owner, runtime.clock.nowMs()));
    this.#unsent = environment.unsent.join(this);
  }

  /** Nothing that comes over it is answered any more. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Requests that are not answered yet, or whose answers are on their way. */
  get openRequests(): number {
    return this.#exchanges.size;
  }

  /** Answers that the peer hasn't taken yet. */
  get unsentBytes(): number {
    return this.#unsentBytes;
  }

  get hasRoom(): boolean {
    return this.#exchanges.size < this.#maxRequests;
  }

  unsentOwnerKey(): string {
    return this.accepted.owner.key;
  }

  onOwnerUnsentLimit(): void {
    this.#environment.runtime.turns.defer(() => this.destroy());
  }

  begin(exchange: ServiceExchange): void {
    this.#exchanges.add(exchange);
  }

  end(exchange: ServiceExchange): void {
    this.#exchanges.delete(exchange);
    if (this.#isClosing && this.#exchanges.size === 0) this.#socket.destroySoon();
  }

  /** The channel of requests without a Session. */
  channelOf(transportProfileUri: string, endpointUrl: string): HttpsChannel {
    let channel = this.#channels.get(transportProfileUri);
    if (channel === undefined || channel.isRetired) {
      channel = this.createChannel(transportProfileUri, endpointUrl, POLICY_NONE_URI);
      this.#channels.set(transportProfileUri, channel);
    }
    return channel;
  }

  /** For a caller that isn't like others on this connection; whoever asks for it retires it. */
  createChannel(transportProfileUri: string, endpointUrl: string, securityPolicyUri: string): HttpsChannel {
    const { remote } = this.accepted;
    const isSecure = securityPolicyUri !== POLICY_NONE_URI;
    return this.#environment.channels.create({ transportProfileUri, endpointUrl, remote, securityPolicyUri, isSecure });
  }

  /** Who asks over this connection without a Session. */
  sessionlessCallers(users: SessionlessUsers, open: () => HttpsChannel): SessionlessCallers {
    const { channels, provider } = this.#environment;
    const { owner } = this.accepted;
    this.#sessionless ??= new SessionlessCallers({ users, provider, owner, open, retire: (channel) => channels.retire(channel) });
    return this.#sessionless;
  }

  /** So many bytes of answers more, or fewer when it is negative, are unsent. */
  addUnsent(bytes: number): void {
    this.#unsentBytes += bytes;
    if (this.#unsentBytes > 0) this.#socket.setTimeout(this.#environment.limits.slowReaderTimeoutMs);
    this.#unsent.update();
  }

  /** It came behind the one with which the connection ends. A peer that goes on sending is cut off. */
  ignoreRequest(): void {
    if (++this.#ignoredRequests > this.#maxRequests) this.destroy();
  }

  /** Takes no further request. */
  endsWithAnswers(): void {
    this.#isClosing = true;
  }

  /** Gives up what is not answered yet and closes once the answers are out. Idempotent. */
  closeSoon(): void {
    this.#isClosing = true;
    for (const exchange of this.#exchanges) exchange.giveUp();
    if (this.#exchanges.size === 0) this.#socket.destroySoon();
  }

  destroy(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  /** The socket is closed: nobody is there any more for what is on its way. Idempotent. */
  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#isClosing = true;
    this.#unsent[Symbol.dispose]();
    this.pace[Symbol.dispose]();
    for (const exchange of [...this.#exchanges]) exchange.end();
    for (const channel of this.#channels.values()) this.#environment.channels.close(channel);
    this.#channels.clear();
    this.#sessionless?.end();
  }
}
