import { encryptUserSecret, findSecurityPolicy } from '@bulkhead/security';
import {
  AnonymousIdentityToken,
  type EndpointDescription,
  ExtensionObject,
  MessageSecurityMode,
  StatusCodes,
  UaStatusError,
  UserNameIdentityToken,
  type UserTokenPolicy,
  UserTokenType,
} from '@bulkhead/types';
import type { ChannelSecurity } from '../connection/channel-security.ts';

/** Who a session acts for. */
export type ClientUser =
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'userName';
      readonly userName: string;
      readonly password: string;
      /** Send the password in plain text where the server offers nothing else and the channel isn't encrypted. Default false. */
      readonly allowUnencryptedPassword?: boolean;
    };

/** The anonymous user. */
export const ANONYMOUS: ClientUser = Object.freeze({ kind: 'anonymous' });

/** The kind of token that a user logs in with. */
export function userTokenTypeOf(user: ClientUser): UserTokenType {
  return user.kind === 'anonymous' ? UserTokenType.Anonymous : UserTokenType.UserName;
}

/** Whether the user's secret is encrypted with the server's certificate at this endpoint. */
export function needsServerCertificate(user: ClientUser, endpoint: EndpointDescription): boolean {
  return user.kind !== 'anonymous' && endpoint.userIdentityTokens?.some((policy) => isSecure(policy, endpoint)) === true;
}

/**
 * The user identity token for an ActivateSession. OPC 10000-4 §7.40.
 * @param serverNonce the newest nonce of the server.
 * @throws UaStatusError BadIdentityTokenRejected when the endpoint doesn't take this kind of user, BadSecurityModeInsufficient when
 * the password would travel in plain text.
 */
export function userIdentityToken(
  user: ClientUser,
  endpoint: EndpointDescription,
  security: ChannelSecurity,
  serverNonce: Uint8Array,
): ExtensionObject {
  const policies = (endpoint.userIdentityTokens ?? []).filter(
    (candidate) => candidate.tokenType === userTokenTypeOf(user) && isKnown(candidate),
  );
  // One that encrypts is better than one that doesn't.
  const policy = policies.find((candidate) => isSecure(candidate, endpoint)) ?? policies[0];
  if (policy === undefined) {
    throw new UaStatusError(StatusCodes.BadIdentityTokenRejected, `the endpoint takes no ${user.kind} user`);
  }
  const { policyId } = policy;
  if (user.kind === 'anonymous') return ExtensionObject.of(AnonymousIdentityToken, { policyId });
  const tokenPolicy = findSecurityPolicy(policy.securityPolicyUri) ?? security.policy;
  const isEncrypted = security.mode === MessageSecurityMode.SignAndEncrypt || security.isTransportEncrypted === true;
  if (!tokenPolicy.isSecure && !isEncrypted && user.allowUnencryptedPassword !== true) {
    throw new UaStatusError(StatusCodes.BadSecurityModeInsufficient, 'the password would travel in plain text');
  }
  const secret = encryptUserSecret(tokenPolicy, security.serverCertificate, Buffer.from(user.password), serverNonce);
  return ExtensionObject.of(UserNameIdentityToken, {
    policyId,
    userName: user.userName,
    password: secret.secret,
    encryptionAlgorithm: secret.encryptionAlgorithm,
  });
}

function isKnown({ securityPolicyUri }: UserTokenPolicy): boolean {
  return (securityPolicyUri ?? '') === '' || findSecurityPolicy(securityPolicyUri) !== undefined;
}

/** A policy without a SecurityPolicy of its own takes the endpoint's. OPC 10000-4 §7.42. */
function isSecure({ securityPolicyUri }: UserTokenPolicy, endpoint: EndpointDescription): boolean {
  const uri = (securityPolicyUri ?? '') === '' ? endpoint.securityPolicyUri : securityPolicyUri;
  return findSecurityPolicy(uri)?.isSecure === true;
}
