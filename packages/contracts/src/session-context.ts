import type { NodeId, UserTokenType } from '@bulkhead/types';
import type { SecureChannelContext } from './secure-channel-context.ts';

/** Who is logged in. */
export interface UserIdentity {
  readonly kind: UserTokenType;
  /** User name, certificate subject or token subject; undefined for anonymous. */
  readonly name: string | undefined;
  /** Role NodeIds (OPC 10000-18). */
  readonly roles: readonly NodeId[];
}

/** What services may know about the Session of a request. */
export interface SessionContext {
  /** Public SessionId. The AuthenticationToken is never handed out. */
  readonly sessionId: NodeId;
  readonly sessionName: string;
  readonly identity: UserIdentity;
  readonly localeIds: readonly string[];
  /** The channel the Session is bound to now. */
  readonly channel: SecureChannelContext;
  readonly clientApplicationUri: string;
  readonly isActivated: boolean;
  /** Largest response in bytes that the client accepts; 0 when it named none. */
  readonly maxResponseMessageBytes: number;
}

/** Finds Sessions by the token of a RequestHeader. */
export interface SessionResolver {
  /**
   * The Session, its activity noted.
   * @throws UaStatusError BadSessionIdInvalid (unknown token), BadSecureChannelIdInvalid (bound to another channel),
   * BadSessionClosed, BadSessionNotActivated (when `needsActivation`).
   */
  resolve(authenticationToken: NodeId, channel: SecureChannelContext, needsActivation: boolean, nowMs: number): SessionContext;
  /** Whether the Session is activated, bound to this channel and not expired. Notes nothing. */
  isBound(session: SessionContext, channel: SecureChannelContext, nowMs: number): boolean;
  /**
   * The activated Session with this token if it is bound to another channel and may move to this one, which is secured alike and
   * has the same client certificate; undefined otherwise. Notes nothing.
   */
  findReturning(authenticationToken: NodeId, channel: SecureChannelContext, nowMs: number): SessionContext | undefined;
}
