import type { CallerOwners, Runtime, SecureChannelContext, UserIdentity } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { PrivateKeyOperations, SecurityPolicy } from '@bulkhead/security';
import type { CreateSessionRequest, EndpointDescription } from '@bulkhead/types';
import type { PasswordLockoutOptions } from './password-lockout.ts';

/** What this server proves itself with to one client. */
export interface ServerCredentials {
  /** DER certificates, the server's own first. */
  readonly certificateChain: Buffer;
  readonly privateKey: PrivateKeyOperations;
}

/** What Sessions need to know of the server's endpoints. */
export interface SessionEndpoints {
  /**
   * The endpoints of the channel's transport profile, with URLs by which this client reaches them. The one with the
   * channel's policy and mode says which user tokens are accepted.
   */
  describe(channel: SecureChannelContext, endpointUrl: string | null): readonly EndpointDescription[];
  /**
   * Finds out who the client of a channel is on which nobody has found that out before: where the transport has no SecureChannel of its
   * own, CreateSession brings the certificate. The channel has it afterwards.
   * @returns undefined when there is nothing to be done.
   * @throws UaStatusError (as a rejection) BadSecurityPolicyRejected, BadCertificate….
   */
  authenticateClient?(request: CreateSessionRequest, channel: SecureChannelContext, policy: SecurityPolicy): Promise<void> | undefined;
  /** Undefined when the server has no certificate, which only SecurityPolicy None allows. */
  credentials(channel: SecureChannelContext): ServerCredentials | undefined;
}

/**
 * Says who a user is.
 * @param password overwritten as soon as the answer is there.
 * @returns undefined when name and password don't belong together.
 */
export type UserValidator = (
  userName: string,
  password: Buffer,
  channel: SecureChannelContext,
) => UserIdentity | undefined | Promise<UserIdentity | undefined>;

/** Bounds of Sessions. */
export interface SessionLimits {
  /** Hard cap, Sessions that aren't activated yet included. Default 100. */
  readonly maxSessionCount: number;
  /** Least and most that a RequestedSessionTimeout is revised to. Default 10 s and 1 h. */
  readonly minTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** A Session that isn't activated by then is closed. Default 30 s. */
  readonly activationTimeoutMs: number;
  /** MaxRequestMessageSize of CreateSession's response; 0 names none. Default 0. */
  readonly maxRequestMessageBytes: number;
}

export const defaultSessionLimits: SessionLimits = Object.freeze({
  maxSessionCount: 100,
  minTimeoutMs: 10_000,
  maxTimeoutMs: 3_600_000,
  activationTimeoutMs: 30_000,
  maxRequestMessageBytes: 0,
});

/** Options of a `SessionManager`. */
export interface SessionManagerOptions {
  readonly runtime: Runtime;
  readonly provider: ResourceIsolationProvider;
  /** Whom to charge for the work of CreateSession and ActivateSession. */
  readonly owners: CallerOwners;
  readonly endpoints: SessionEndpoints;
  readonly limits?: Partial<SessionLimits>;
  /** Without one, user names are refused. */
  readonly userValidator?: UserValidator;
  readonly lockout?: Partial<PasswordLockoutOptions>;
}
