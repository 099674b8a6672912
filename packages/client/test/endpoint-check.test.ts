import { EndpointDescription, MessageSecurityMode, StatusCodes, UserTokenPolicy, UserTokenType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { checkEndpoints } from '../src/session/endpoint-check.ts';

const anonymous = UserTokenPolicy.create({ policyId: 'a', tokenType: UserTokenType.Anonymous });

function endpoint(init: Partial<EndpointDescription> = {}): EndpointDescription {
  return EndpointDescription.create({ securityMode: MessageSecurityMode.Sign, securityLevel: 5, userIdentityTokens: [anonymous], ...init });
}

const strong = endpoint({ securityMode: MessageSecurityMode.SignAndEncrypt, securityLevel: 9 });

describe('comparing the endpoints of CreateSession with those of discovery', () => {
  it('lets host names, certificates and the order differ', () => {
    const renamed = { ...strong, endpointUrl: 'opc.tcp://other:1', serverCertificate: null };
    expect(() => checkEndpoints([endpoint(), strong], [renamed, endpoint()])).not.toThrow();
  });

  it.each([
    ['a missing endpoint', [endpoint()]],
    ['another mode', [endpoint(), { ...strong, securityMode: MessageSecurityMode.None }]],
    ['another policy', [endpoint(), { ...strong, securityPolicyUri: 'urn:weak' }]],
    ['another level', [endpoint(), { ...strong, securityLevel: 1 }]],
    ['other users', [endpoint(), { ...strong, userIdentityTokens: [{ ...anonymous, securityPolicyUri: 'urn:weak' }] }]],
  ])('refuses %s', (_name, discovered) => {
    expect(() => checkEndpoints(discovered, [endpoint(), strong])).toThrow(
      expect.objectContaining({ statusCode: StatusCodes.BadSecurityChecksFailed }),
    );
  });
});
