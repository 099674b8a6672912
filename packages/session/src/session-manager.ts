import type { Runtime, SecureChannelContext, SessionContext, SessionGate, SessionResolver, UserIdentity } from '@bulkhead/contracts';
import { CertificateCache } from '@bulkhead/security';
import {
  type ActivateSessionRequest,
  type ActivateSessionResponse,
  type CloseSessionRequest,
  type CloseSessionResponse,
  type CreateSessionRequest,
  type CreateSessionResponse,
  type NodeId,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { defaultPasswordLockoutOptions, PasswordLockout } from './password-lockout.ts';
import { mayReturn } from './returning-session.ts';
import { Session, type SessionCloseReason } from './session.ts';
import { SessionActivation } from './session-activation.ts';
import { SessionCreation } from './session-creation.ts';
import { SessionEstablishment } from './session-establishment.ts';
import { SessionExpiry } from './session-expiry.ts';
import { defaultSessionLimits, type SessionLimits, type SessionManagerOptions } from './session-options.ts';
import { SessionTable } from './session-table.ts';
import { UserAuthentication } from './user-authentication.ts';

/** Told once per Session, when it ended. */
export type SessionClosedListener = (session: Session, deleteSubscriptions: boolean, reason: SessionCloseReason) => void;
/** Told when a Session was activated on a channel it wasn't active on; `previous` is undefined the first time. */
export type SessionBoundListener = (session: Session, channel: SecureChannelContext, previous: SecureChannelContext | undefined) => void;

/** All Sessions of a server: their services, their look-up, their end. OPC 10000-4 §5.7. */
export class SessionManager implements SessionResolver {
  /** Gives the places that `createSession` and `activateSession` need; whoever calls these holds one until they are done. */
  readonly gate: SessionGate;
  readonly #runtime: Runtime;
  readonly #limits: SessionLimits;
  readonly #table: SessionTable = new SessionTable();
  readonly #creation: SessionCreation;
  readonly #activation: SessionActivation;
  readonly #expiry: SessionExpiry;
  readonly #users: UserAuthentication;
  readonly #createdListeners: ((session: Session) => void)[] = [];
  readonly #closedListeners: SessionClosedListener[] = [];
  readonly #boundListeners: SessionBoundListener[] = [];
  readonly #activatedListeners: ((session: Session) => void)[] = [];
  /** Places taken by CreateSession calls that aren't done. */
  #reservedPlaces = 0;
  #isDisposed = false;

  constructor(options: SessionManagerOptions) {
    const { endpoints, owners, provider, runtime } = options;
    this.#runtime = runtime;
    this.#limits = { ...defaultSessionLimits, ...options.limits };
    const certificates = new CertificateCache();
    this.gate = new SessionEstablishment({ provider, owners, findSession: (token) => this.#find(token, runtime.clock.nowMs()) });
    const lockout = new PasswordLockout({ ...defaultPasswordLockoutOptions, ...options.lockout });
    const users = new UserAuthentication({ provider, certificates, lockout, validator: options.userValidator });
    this.#creation = new SessionCreation({
      runtime,
      limits: this.#limits,
      endpoints,
      certificates,
      reservePlace: (channel) => this.#reservePlace(channel),
      register: (session, authenticationToken) => this.#register(session, authenticationToken),
    });
    this.#users = users;
    this.#activation = new SessionActivation({ runtime, users });
    this.#expiry = new SessionExpiry(runtime, (nowMs) => this.#closeDue(nowMs));
  }

  /** Sessions now, those that aren't activated included. */
  get sessionCount(): number {
    return this.#table.size;
  }

  /** In the order in which they were created. */
  sessions(): IterableIterator<Session> {
    return this.#table.values();
  }

  bySessionId(sessionId: NodeId): Session | undefined {
    return this.#table.bySessionId(sessionId);
  }

  /** @param listener told of each new Session, which isn't activated yet. */
  onCreated(listener: (session: Session) => void): void {
    this.#createdListeners.push(listener);
  }

  onClosed(listener: SessionClosedListener): void {
    this.#closedListeners.push(listener);
  }

  onBound(listener: SessionBoundListener): void {
    this.#boundListeners.push(listener);
  }

  /** @param listener told of every activation: the user may be another one, on the same channel as before or not. */
  onActivated(listener: (session: Session) => void): void {
    this.#activatedListeners.push(listener);
  }

  /** A Session that is used before it is activated is closed, as the specification asks for (§5.7.3.1). */
  resolve(authenticationToken: NodeId, channel: SecureChannelContext, needsActivation: boolean, nowMs: number): Session {
    const session = this.#find(authenticationToken, nowMs);
    if (session.channel !== channel) throw new UaStatusError(StatusCodes.BadSecureChannelIdInvalid, 'Session of another channel');
    if (needsActivation && !session.isActivated) {
      this.#close(session, true, 'usedBeforeActivation');
      throw new UaStatusError(StatusCodes.BadSessionNotActivated, 'Session used before it was activated');
    }
    session.noteRequest(nowMs);
    return session;
  }

  isBound(session: SessionContext, channel: SecureChannelContext, nowMs: number): boolean {
    return session instanceof Session && session.isActivated && session.channel === channel && nowMs < session.expiresAtMs;
  }

  findReturning(authenticationToken: NodeId, channel: SecureChannelContext, nowMs: number): Session | undefined {
    const session = this.#table.byToken(authenticationToken);
    return session !== undefined && nowMs < session.expiresAtMs && mayReturn(session, channel) ? session : undefined;
  }

  /**
   * @throws UaStatusError (as a rejection) BadTooManySessions, BadNonceInvalid,
   * BadCertificateInvalid, BadCertificateUriInvalid, BadSecureChannelClosed.
   */
  createSession(request: CreateSessionRequest, channel: SecureChannelContext): Promise<Omit<CreateSessionResponse, 'responseHeader'>> {
    return this.#creation.create(request, channel);
  }

  /**
   * Finds its Session itself, by the token of the request's header: it may be bound to another channel until now.
   * @throws UaStatusError (as a rejection) BadSessionIdInvalid, BadSecureChannelIdInvalid,
   * BadSecurityChecksFailed, BadApplicationSignatureInvalid, BadIdentityTokenInvalid, BadIdentityTokenRejected,
   * BadUserAccessDenied, BadIdentityChangeNotSupported, BadNonceInvalid, BadSessionClosed, BadSecureChannelClosed.
   */
  async activateSession(
    request: ActivateSessionRequest,
    channel: SecureChannelContext,
  ): Promise<Omit<ActivateSessionResponse, 'responseHeader'>> {
    const session = this.#find(request.requestHeader.authenticationToken, this.#runtime.clock.nowMs());
    const before = session.isActivated ? session.channel : undefined;
    const response = await this.#activation.activate(session, request, channel);
    this.#expiry.watch(session.expiresAtMs);
    if (before !== channel) for (const listener of this.#boundListeners) this.#tell(() => listener(session, channel, before));
    for (const listener of this.#activatedListeners) this.#tell(() => listener(session));
    return response;
  }

  /**
   * Checks a name and a password that came without a Session; wrong ones count towards the same lockout.
   * @param password overwritten.
   * @throws UaStatusError (as a rejection) BadIdentityTokenInvalid, BadIdentityTokenRejected, BadUserAccessDenied.
   */
  checkPassword(userName: string, password: Buffer, channel: SecureChannelContext): Promise<UserIdentity> {
    return this.#users.checkPassword(userName, () => Promise.resolve(password), channel, this.#runtime.clock.nowMs());
  }

  /** @throws UaStatusError BadSessionIdInvalid when `context` is no Session of this manager. */
  closeSession(request: CloseSessionRequest, context: SessionContext): Omit<CloseSessionResponse, 'responseHeader'> {
    const session = this.#table.bySessionId(context.sessionId);
    if (session === undefined || session !== context) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'unknown Session');
    this.#close(session, request.deleteSubscriptions, 'closed');
    return {};
  }

  /**
   * A channel is gone. Activated Sessions wait for their client to come back by another channel until they time out; those
   * that aren't activated can't be any more, and end.
   */
  channelClosed(channel: SecureChannelContext): void {
    for (const session of [...this.#table.values()]) {
      if (session.channel === channel && !session.isActivated) this.#close(session, true, 'neverActivated');
    }
  }

  /** Closes every Session. Idempotent. */
  dispose(): void {
    this.#isDisposed = true;
    this.#expiry.dispose();
    for (const session of [...this.#table.values()]) this.#close(session, true, 'shutdown');
  }

  #find(authenticationToken: NodeId, nowMs: number): Session {
    const session = this.#table.byToken(authenticationToken);
    if (session !== undefined && nowMs < session.expiresAtMs) return session;
    if (session !== undefined) this.#expire(session);
    throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'no Session with this token');
  }

  /** The oldest Session that isn't activated gives way: one of the same address if there is one. */
  #reservePlace(channel: SecureChannelContext): Disposable {
    if (this.#isDisposed) throw new UaStatusError(StatusCodes.BadServerHalted, 'stopped');
    if (this.#table.size + this.#reservedPlaces >= this.#limits.maxSessionCount) {
      const idle = [...this.#table.values()].filter((session) => !session.isActivated && session.pendingActivations === 0);
      const evicted = idle.find((session) => session.channel.remote.address === channel.remote.address) ?? idle[0];
      if (evicted === undefined) throw new UaStatusError(StatusCodes.BadTooManySessions, `${this.#limits.maxSessionCount} Sessions`);
      this.#close(evicted, true, 'evicted');
    }
    this.#reservedPlaces++;
    let isReserved = true;
    return {
      [Symbol.dispose]: () => {
        if (isReserved) this.#reservedPlaces--;
        isReserved = false;
      },
    };
  }

  #register(session: Session, authenticationToken: NodeId): void {
    if (this.#isDisposed) throw new UaStatusError(StatusCodes.BadServerHalted, 'stopped');
    this.#table.add(session, authenticationToken);
    this.#expiry.watch(session.expiresAtMs);
    for (const listener of this.#createdListeners) this.#tell(() => listener(session));
  }

  #closeDue(nowMs: number): number | undefined {
    let nextMs: number | undefined;
    for (const session of [...this.#table.values()]) {
      if (nowMs >= session.expiresAtMs) this.#expire(session);
      else if (nextMs === undefined || session.expiresAtMs < nextMs) nextMs = session.expiresAtMs;
    }
    return nextMs;
  }

  /** Subscriptions outlive a Session that timed out, for their own lifetime. OPC 10000-4 §5.7.2.1. */
  #expire(session: Session): void {
    this.#close(session, !session.isActivated, session.isActivated ? 'timeout' : 'neverActivated');
  }

  #close(session: Session, deleteSubscriptions: boolean, reason: SessionCloseReason): void {
    if (!this.#table.remove(session)) return;
    session.close();
    for (const listener of this.#closedListeners) this.#tell(() => listener(session, deleteSubscriptions, reason));
  }

  /** A broken listener must not stop the others, nor the service. */
  #tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#runtime.log.log('error', 'session.listener-failed', { error });
    }
  }
}
