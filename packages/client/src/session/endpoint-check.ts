import { type EndpointDescription, StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * Compares the endpoints that CreateSession returned, over the secured channel, with those that discovery told without security,
 * so that a list that was changed on the way is found out. Only what OPC 10000-4 §5.7.2.2 says counts; host names may differ.
 * @throws UaStatusError BadSecurityChecksFailed
 */
export function checkEndpoints(discovered: readonly EndpointDescription[], created: readonly EndpointDescription[]): void {
  const profiles = new Set(created.map(({ transportProfileUri }) => transportProfileUri));
  const expected = discovered
    .filter(({ transportProfileUri }) => profiles.has(transportProfileUri))
    .map(endpointKey)
    .sort();
  const actual = created.map(endpointKey).sort();
  if (expected.length === actual.length && expected.every((key, index) => key === actual[index])) return;
  throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'CreateSession names other endpoints than discovery did');
}

function endpointKey(endpoint: EndpointDescription): string {
  return JSON.stringify([
    endpoint.server.applicationUri,
    endpoint.transportProfileUri,
    endpoint.securityPolicyUri,
    endpoint.securityMode,
    endpoint.securityLevel,
    (endpoint.userIdentityTokens ?? []).map((token) => [
      token.policyId,
      token.tokenType,
      token.issuedTokenType ?? '',
      token.issuerEndpointUrl ?? '',
      token.securityPolicyUri ?? '',
    ]),
  ]);
}
