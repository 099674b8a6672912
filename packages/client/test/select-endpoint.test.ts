import { SecurityPolicies, type SecurityPolicyName } from '@bulkhead/security';
import { EndpointDescription, MessageSecurityMode, StatusCodes, UserTokenPolicy, UserTokenType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { selectEndpoint } from '../src/index.ts';

const URL_USED = 'opc.tcp://10.0.0.5:4841';

function endpoint(
  policy: SecurityPolicyName,
  mode: 'None' | 'Sign' | 'SignAndEncrypt',
  init: Partial<EndpointDescription> = {},
): EndpointDescription {
  return EndpointDescription.create({
    endpointUrl: 'opc.tcp://inside:4840/path',
    securityPolicyUri: SecurityPolicies[policy].uri,
    securityMode: MessageSecurityMode[mode],
    userIdentityTokens: [UserTokenPolicy.create({ tokenType: UserTokenType.Anonymous })],
    ...init,
  });
}

const all = [
  endpoint('None', 'None', { securityLevel: 255 }),
  endpoint('Basic256Sha256', 'SignAndEncrypt'),
  endpoint('Aes256_Sha256_RsaPss', 'Sign'),
  endpoint('Aes256_Sha256_RsaPss', 'SignAndEncrypt'),
  endpoint('Basic256Sha256', 'Sign'),
];

describe('selectEndpoint', () => {
  it('takes the strongest that both sides know, and the host that was really used', () => {
    const chosen = selectEndpoint(all, {}, URL_USED);
    expect(chosen.securityPolicyUri).toBe(SecurityPolicies.Aes256_Sha256_RsaPss.uri);
    expect(chosen.securityMode).toBe(MessageSecurityMode.SignAndEncrypt);
    expect(chosen.endpointUrl).toBe('opc.tcp://10.0.0.5:4841/path');
  });

  it('takes what is asked for', () => {
    expect(selectEndpoint(all, { mode: 'Sign' }, URL_USED)).toMatchObject({ securityPolicyUri: SecurityPolicies.Aes256_Sha256_RsaPss.uri });
    expect(selectEndpoint(all, { policy: 'Basic256Sha256' }, URL_USED)).toMatchObject({ securityMode: MessageSecurityMode.SignAndEncrypt });
    expect(selectEndpoint(all, { mode: 'None' }, URL_USED)).toMatchObject({ securityMode: MessageSecurityMode.None });
  });

  it('is not talked out of security by a list that was cut short on the way', () => {
    expect(() => selectEndpoint(all.slice(0, 1), {}, URL_USED)).toThrow(
      expect.objectContaining({ statusCode: StatusCodes.BadSecurityModeRejected }),
    );
  });

  it('leaves out unknown policies, other transports and endpoints for other users', () => {
    const strange = endpoint('Basic256Sha256', 'SignAndEncrypt', { securityPolicyUri: 'urn:unknown' });
    const https = endpoint('Aes256_Sha256_RsaPss', 'SignAndEncrypt', { transportProfileUri: 'urn:https' });
    expect(selectEndpoint([strange, https, all[4] as EndpointDescription], {}, URL_USED).securityMode).toBe(MessageSecurityMode.Sign);
    expect(() => selectEndpoint(all, { userTokenType: UserTokenType.UserName }, URL_USED)).toThrow(
      expect.objectContaining({ statusCode: StatusCodes.BadIdentityTokenRejected }),
    );
  });
});
