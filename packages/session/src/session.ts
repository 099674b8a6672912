import type { SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import type { Certificate, SecurityPolicy } from '@bulkhead/security';
import { NodeId, ObjectIds, type UserTokenPolicy, UserTokenType } from '@bulkhead/types';
import type { ServerCredentials } from './session-options.ts';

/** Identity of a Session without a user: also that of one that isn't activated yet. */
export const ANONYMOUS_IDENTITY: UserIdentity = Object.freeze({
  kind: UserTokenType.Anonymous,
  name: undefined,
  roles: [NodeId.numeric(0, ObjectIds.WellKnownRole_Anonymous)],
});

/** Why a Session ended. */
export type SessionCloseReason =
  /** CloseSession. */
  | 'closed'
  /** No request within its timeout. */
  | 'timeout'
  /** Not activated in time, or its channel closed before. */
  | 'neverActivated'
  /** Used before it was activated. */
  | 'usedBeforeActivation'
  /** Not activated when another Session needed its place. */
  | 'evicted'
  | 'shutdown';

/** What a Session is made of; all of it stays as it is. */
export interface SessionSeed {
  readonly sessionId: NodeId;
  readonly sessionName: string;
  readonly clientApplicationUri: string;
  readonly clientApplicationName: string;
  readonly channel: SecureChannelContext;
  readonly policy: SecurityPolicy;
  /** The client's own certificate; undefined with SecurityPolicy None. */
  readonly clientCertificate: Certificate | undefined;
  readonly credentials: ServerCredentials | undefined;
  readonly userTokenPolicies: readonly UserTokenPolicy[];
  readonly timeoutMs: number;
  readonly maxResponseMessageBytes: number;
  readonly createdAtMs: number;
  readonly activateByMs: number;
  readonly serverNonce: Buffer;
}

/** One Session, from CreateSession to its end. `SessionManager` alone changes it. OPC 10000-4 §5.7. */
export class Session implements SessionContext {
  readonly sessionId: NodeId;
  readonly sessionName: string;
  readonly clientApplicationUri: string;
  readonly clientApplicationName: string;
  readonly maxResponseMessageBytes: number;
  /** RevisedSessionTimeout in ms. */
  readonly timeoutMs: number;
  /** Monotonic ms. */
  readonly createdAtMs: number;
  readonly seed: SessionSeed;
  /** ActivateSession calls at work on it. */
  pendingActivations = 0;
  #identity: UserIdentity = ANONYMOUS_IDENTITY;
  #localeIds: readonly string[] = [];
  #channel: SecureChannelContext;
  #state: 'created' | 'activated' | 'closed' = 'created';
  #serverNonce: Buffer;
  #expiresAtMs: number;

  constructor(seed: SessionSeed) {
    this.sessionId = seed.sessionId;
    this.sessionName = seed.sessionName;
    this.clientApplicationUri = seed.clientApplicationUri;
    this.clientApplicationName = seed.clientApplicationName;
    this.maxResponseMessageBytes = seed.maxResponseMessageBytes;
    this.timeoutMs = seed.timeoutMs;
    this.createdAtMs = seed.createdAtMs;
    this.seed = seed;
    this.#channel = seed.channel;
    this.#serverNonce = seed.serverNonce;
    this.#expiresAtMs = seed.activateByMs;
  }

  get identity(): UserIdentity {
    return this.#identity;
  }

  get localeIds(): readonly string[] {
    return this.#localeIds;
  }

  get channel(): SecureChannelContext {
    return this.#channel;
  }

  /** False before ActivateSession, and again once it is closed. */
  get isActivated(): boolean {
    return this.#state === 'activated';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** The nonce that the next ActivateSession has to sign. */
  get serverNonce(): Buffer {
    return this.#serverNonce;
  }

  /** Monotonic ms at which it ends unless a request comes first. */
  get expiresAtMs(): number {
    return this.#expiresAtMs;
  }

  /** A request came. Doesn't postpone the deadline for activation. */
  noteRequest(nowMs: number): void {
    if (this.#state === 'activated') this.#expiresAtMs = nowMs + this.timeoutMs;
  }

  /** @param localeIds undefined keeps the current ones. */
  activate(
    channel: SecureChannelContext,
    identity: UserIdentity,
    localeIds: readonly string[] | undefined,
    serverNonce: Buffer,
    nowMs: number,
  ): void {
    this.#state = 'activated';
    this.#channel = channel;
    // A copy, so that each activation has an identity of its own.
    this.#identity = { ...identity };
    if (localeIds !== undefined) this.#localeIds = localeIds;
    this.#serverNonce = serverNonce;
    this.#expiresAtMs = nowMs + this.timeoutMs;
  }

  close(): void {
    this.#state = 'closed';
  }
}
