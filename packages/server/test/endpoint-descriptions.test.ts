import { SecurityPolicies } from '@bulkhead/security';
import { MessageSecurityMode, UserTokenType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { endpointDescriptions } from '../src/endpoint-descriptions.ts';
import { resolveServerOptions, type ServerOptions } from '../src/index.ts';

function describeEndpoints(options: Partial<ServerOptions>, endpointUrls = ['opc.tcp://plant:4840']) {
  return endpointDescriptions({
    options: resolveServerOptions({ applicationName: 'Test', ...options }),
    certificateChain: Buffer.from('certificate'),
    endpointUrls,
  });
}

describe('endpoint descriptions', () => {
  it('list every policy with every mode, None once', () => {
    const endpoints = describeEndpoints({ security: { policies: ['None', 'Basic256Sha256', 'Aes256_Sha256_RsaPss'] } });
    expect(endpoints.map(({ securityPolicyUri, securityMode }) => [securityPolicyUri, securityMode])).toEqual([
      [SecurityPolicies.None.uri, MessageSecurityMode.None],
      [SecurityPolicies.Basic256Sha256.uri, MessageSecurityMode.Sign],
      [SecurityPolicies.Basic256Sha256.uri, MessageSecurityMode.SignAndEncrypt],
      [SecurityPolicies.Aes256_Sha256_RsaPss.uri, MessageSecurityMode.Sign],
      [SecurityPolicies.Aes256_Sha256_RsaPss.uri, MessageSecurityMode.SignAndEncrypt],
    ]);
  });

  it('rank what is more secure higher', () => {
    const [none, sign, encrypt] = describeEndpoints({ security: { policies: ['None', 'Basic256Sha256'] } });
    expect(none?.securityLevel).toBe(0);
    expect(sign?.securityLevel).toBeGreaterThan(0);
    expect(encrypt?.securityLevel).toBeGreaterThan(sign?.securityLevel ?? 0);
  });

  it('never offer a password without encryption, not even where the channel has none', () => {
    const endpoints = describeEndpoints({ security: { policies: ['None', 'Aes128_Sha256_RsaOaep'], validateUser: () => true } });
    const tokens = endpoints.flatMap(({ userIdentityTokens }) => userIdentityTokens ?? []);
    const passwords = tokens.filter(({ tokenType }) => tokenType === UserTokenType.UserName);
    expect(passwords).toHaveLength(3);
    for (const { securityPolicyUri } of passwords) expect(securityPolicyUri).not.toBe(SecurityPolicies.None.uri);
    expect(tokens.some(({ tokenType }) => tokenType === UserTokenType.Anonymous)).toBe(false);
  });

  it('come once per URL', () => {
    const urls = describeEndpoints({}, ['opc.tcp://a:1', 'opc.tcp://b:1']).map(({ endpointUrl }) => endpointUrl);
    expect(urls.filter((url) => url === 'opc.tcp://a:1')).toHaveLength(6);
    expect(urls).toHaveLength(12);
  });
});
