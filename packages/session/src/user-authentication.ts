import type { SecureChannelContext, UserIdentity } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import { type CertificateCache, decryptUserSecret, findSecurityPolicy, type SecurityPolicy } from '@bulkhead/security';
import {
  AnonymousIdentityToken,
  type ExtensionObject,
  IssuedIdentityToken,
  type StatusCode,
  StatusCodes,
  type StructureType,
  UaStatusError,
  UserNameIdentityToken,
  type UserTokenPolicy,
  UserTokenType,
  X509IdentityToken,
} from '@bulkhead/types';
import { leafOf } from './client-certificate.ts';
import type { PasswordLockout } from './password-lockout.ts';
import { ANONYMOUS_IDENTITY, type Session } from './session.ts';
import type { UserValidator } from './session-options.ts';

/** Longest user name taken, in UTF-16 code units: it becomes part of keys. */
const MAX_USER_NAME_LENGTH = 256;

/** What `UserAuthentication` works with. */
export interface UserAuthenticationParts {
  readonly provider: ResourceIsolationProvider;
  readonly certificates: CertificateCache;
  readonly lockout: PasswordLockout;
  readonly validator: UserValidator | undefined;
}

/** Turns the user identity token of an ActivateSession into an identity. OPC 10000-4 §5.7.3.2, §7.40. */
export class UserAuthentication {
  readonly #parts: UserAuthenticationParts;

  constructor(parts: UserAuthenticationParts) {
    this.#parts = parts;
  }

  /**
   * @throws UaStatusError (as a rejection) BadIdentityTokenInvalid (malformed, or made for another policy or nonce),
   * BadIdentityTokenRejected (a kind that isn't accepted here), BadUserAccessDenied (wrong password, or locked out).
   */
  async authenticate(token: ExtensionObject, session: Session, channel: SecureChannelContext, nowMs: number): Promise<UserIdentity> {
    const { userTokenPolicies } = session.seed;
    if (isAnonymous(token)) {
      const policyId = token.body === undefined && token.content === undefined ? null : decoded(token, AnonymousIdentityToken).policyId;
      selectPolicy(userTokenPolicies, UserTokenType.Anonymous, policyId);
      return ANONYMOUS_IDENTITY;
    }
    if (token.is(UserNameIdentityToken))
      return this.#authenticateByPassword(decoded(token, UserNameIdentityToken), session, channel, nowMs);
    if (token.is(X509IdentityToken) || token.is(IssuedIdentityToken)) {
      throw refused(StatusCodes.BadIdentityTokenRejected, 'kind of user token not accepted');
    }
    throw refused(StatusCodes.BadIdentityTokenInvalid, `unknown user token ${token.typeId.toString()}`);
  }

  async #authenticateByPassword(
    token: UserNameIdentityToken,
    session: Session,
    channel: SecureChannelContext,
    nowMs: number,
  ): Promise<UserIdentity> {
    const tokenPolicy = selectPolicy(session.seed.userTokenPolicies, UserTokenType.UserName, token.policyId);
    return this.checkPassword(token.userName, () => this.#decrypt(token, tokenPolicy, session), channel, nowMs);
  }

  /**
   * @param readPassword called only for a caller that isn't locked out.
   * @throws UaStatusError (as a rejection) BadIdentityTokenInvalid, BadIdentityTokenRejected, BadUserAccessDenied.
   */
  async checkPassword(
    userName: string | null,
    readPassword: () => Promise<Buffer>,
    channel: SecureChannelContext,
    nowMs: number,
  ): Promise<UserIdentity> {
    if (userName === null || userName === '' || userName.length > MAX_USER_NAME_LENGTH) {
      throw refused(StatusCodes.BadIdentityTokenInvalid, 'user name empty or too long');
    }
    const { lockout, provider, validator } = this.#parts;
    if (validator === undefined) throw refused(StatusCodes.BadIdentityTokenRejected, 'no user validator');
    const caller = provider.classifyIngress(channel.remote.address).key;
    if (lockout.isLocked(caller, userName, nowMs)) throw refused(StatusCodes.BadUserAccessDenied, 'locked out');
    const password = await readPassword().catch((error: unknown) => {
      if (!isBusy(error)) lockout.failed(caller, userName, nowMs);
      throw error;
    });
    let identity: UserIdentity | undefined;
    try {
      identity = await validator(userName, password, channel);
    } finally {
      password.fill(0);
    }
    // Guesses side by side learn no more than one after the other: those that end when the name is locked aren't told apart.
    if (lockout.isLocked(caller, userName, nowMs)) throw refused(StatusCodes.BadUserAccessDenied, 'locked out meanwhile');
    if (identity === undefined) {
      lockout.failed(caller, userName, nowMs);
      throw refused(StatusCodes.BadUserAccessDenied, 'wrong user name or password');
    }
    lockout.succeeded(caller, userName);
    return identity;
  }

  async #decrypt(token: UserNameIdentityToken, tokenPolicy: UserTokenPolicy, session: Session): Promise<Buffer> {
    const policy = policyOf(tokenPolicy, session.seed.policy);
    const { credentials } = session.seed;
    const secret = { encryptionAlgorithm: token.encryptionAlgorithm, secret: token.password };
    if (credentials === undefined) {
      if (policy.isSecure || (token.encryptionAlgorithm ?? '') !== '') {
        throw refused(StatusCodes.BadIdentityTokenInvalid, 'an encrypted password, and no key to read it');
      }
      return Buffer.from(token.password ?? Buffer.alloc(0));
    }
    return decryptUserSecret(secret, {
      policy,
      key: credentials.privateKey,
      serverNonce: session.serverNonce,
      certificateThumbprint: this.#parts.certificates.get(leafOf(credentials.certificateChain)).thumbprintBytes,
    });
  }
}

/** Whether two identities are the same user. */
export function isSameUser(a: UserIdentity, b: UserIdentity): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** A null or empty token means anonymous. */
function isAnonymous(token: ExtensionObject): boolean {
  return token.isNull || token.typeId.isNull || token.is(AnonymousIdentityToken);
}

function decoded<T>(token: ExtensionObject, type: StructureType<T>): T {
  try {
    return token.decode(type);
  } catch (error) {
    throw refused(StatusCodes.BadIdentityTokenInvalid, 'malformed user token', error);
  }
}

/** The policy a token was made for; a client that names none gets the first of that kind. */
function selectPolicy(policies: readonly UserTokenPolicy[], kind: UserTokenType, policyId: string | null): UserTokenPolicy {
  const ofKind = policies.filter(({ tokenType }) => tokenType === kind);
  if (ofKind.length === 0) throw refused(StatusCodes.BadIdentityTokenRejected, 'kind of user token not accepted');
  const policy = policyId === null || policyId === '' ? ofKind[0] : ofKind.find((candidate) => candidate.policyId === policyId);
  if (policy === undefined) throw refused(StatusCodes.BadIdentityTokenInvalid, 'unknown policyId');
  return policy;
}

function policyOf(tokenPolicy: UserTokenPolicy, channelPolicy: SecurityPolicy): SecurityPolicy {
  const uri = tokenPolicy.securityPolicyUri;
  if (uri === null || uri === '') return channelPolicy;
  const policy = findSecurityPolicy(uri);
  if (policy === undefined) throw refused(StatusCodes.BadIdentityTokenRejected, 'security policy of the user token not supported');
  return policy;
}

function isBusy(error: unknown): boolean {
  return error instanceof UaStatusError && error.statusCode === StatusCodes.BadServerTooBusy;
}

function refused(code: StatusCode, message: string, cause?: unknown): UaStatusError {
  return new UaStatusError(code, message, cause === undefined ? undefined : { cause });
}
