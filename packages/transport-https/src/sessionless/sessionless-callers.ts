import type { SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import { type Owner, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { HttpsChannel } from '../https-channel.ts';
import { type Authorization, localesOf, parseAuthorization } from './authorization.ts';
import { SessionlessSession } from './sessionless-session.ts';

/** Says who asks without a Session. */
export interface SessionlessUsers {
  /**
   * @param clientCertificate DER of the certificate that the client showed in the TLS handshake; nobody has checked it.
   * @returns undefined when nobody may act by that.
   * @throws UaStatusError (as a rejection) BadUserAccessDenied, BadIdentityTokenRejected.
   */
  identify(
    authorization: Authorization,
    clientCertificate: Buffer | undefined,
    channel: SecureChannelContext,
  ): Promise<UserIdentity | undefined> | UserIdentity | undefined;
  /** The caller's channel is closed: what was kept for it may go. */
  ended(session: SessionContext): void;
}

/** What of an HTTP request says who asks. */
export interface SessionlessEvidence {
  readonly authorization: string | undefined;
  readonly acceptLanguage: string | undefined;
  readonly clientCertificate: Buffer | undefined;
}

/** Callers kept per connection, and for how long what was found of one holds: a token may be withdrawn. */
const MAX_CALLERS = 4;
const LIFETIME_MS = 60_000;

interface KnownCaller {
  readonly channel: HttpsChannel;
  readonly expiresAtMs: number;
}

/** What `SessionlessCallers` works with. */
export interface SessionlessCallersParts {
  readonly users: SessionlessUsers;
  readonly provider: ResourceIsolationProvider;
  readonly owner: Owner;
  /** Makes a channel for a caller; and how it ends. */
  readonly open: () => HttpsChannel;
  readonly retire: (channel: HttpsChannel) => void;
}

/** The session-less callers of one connection, each with a channel of its own, so that nobody gets what another may see. */
export class SessionlessCallers {
  readonly #parts: SessionlessCallersParts;
  readonly #known: Map<string, KnownCaller> = new Map();

  constructor(parts: SessionlessCallersParts) {
    this.#parts = parts;
  }

  /** The channel of who asks, when that was found out before. */
  known(evidence: SessionlessEvidence, nowMs: number): HttpsChannel | undefined {
    const key = keyOf(evidence);
    const known = this.#known.get(key);
    if (known === undefined) return undefined;
    if (nowMs < known.expiresAtMs && known.channel.isOpen) return known.channel;
    this.#forget(key, known);
    return undefined;
  }

  /**
   * Finds out who asks. Takes a place of stage SessionEstablishment for that: it is the same work as logging in.
   * @throws UaStatusError (as a rejection) BadServerTooBusy, BadUserAccessDenied, BadIdentityTokenRejected, BadSecureChannelClosed.
   */
  async identify(evidence: SessionlessEvidence, nowMs: number): Promise<HttpsChannel> {
    const { users, provider, owner, open, retire } = this.#parts;
    const place = provider.tryAcquire(Stage.SessionEstablishment, owner, 1);
    if (place.kind === 'refusal') throw new UaStatusError(StatusCodes.BadServerTooBusy, `${place.reason}`);
    const channel = open();
    try {
      const identity = await users.identify(parseAuthorization(evidence.authorization), evidence.clientCertificate, channel);
      if (identity === undefined) throw new UaStatusError(StatusCodes.BadUserAccessDenied, 'nobody who may ask without a Session');
      if (!channel.isOpen) throw new UaStatusError(StatusCodes.BadSecureChannelClosed, 'closed meanwhile');
      channel.sessionless = new SessionlessSession(channel, identity, localesOf(evidence.acceptLanguage));
      this.#remember(keyOf(evidence), { channel, expiresAtMs: nowMs + LIFETIME_MS });
      return channel;
    } catch (error) {
      retire(channel);
      throw error;
    } finally {
      place[Symbol.dispose]();
    }
  }

  /** The connection is closed. */
  end(): void {
    for (const [key, known] of [...this.#known]) this.#forget(key, known);
  }

  #remember(key: string, caller: KnownCaller): void {
    const previous = this.#known.get(key);
    if (previous !== undefined) this.#forget(key, previous);
    const [oldest] = this.#known;
    if (oldest !== undefined && this.#known.size >= MAX_CALLERS) this.#forget(...oldest);
    this.#known.set(key, caller);
  }

  #forget(key: string, { channel }: KnownCaller): void {
    this.#known.delete(key);
    this.#parts.retire(channel);
  }
}

function keyOf({ authorization = '', acceptLanguage = '' }: SessionlessEvidence): string {
  return `${authorization}\n${acceptLanguage}`;
}
