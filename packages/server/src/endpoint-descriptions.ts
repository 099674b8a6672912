import { SecurityPolicies, type SecurityPolicyName } from '@bulkhead/security';
import { HTTPS_BINARY_PROFILE_URI, HTTPS_JSON_PROFILE_URI } from '@bulkhead/transport-https';
import { UA_TCP_PROFILE_URI } from '@bulkhead/transport-tcp';
import { UA_WSS_PROFILE_URI } from '@bulkhead/transport-websocket';
import {
  ApplicationDescription,
  ApplicationType,
  EndpointDescription,
  LocalizedText,
  MessageSecurityMode,
  UserTokenPolicy,
  UserTokenType,
} from '@bulkhead/types';
import type { ResolvedServerOptions } from './server-options.ts';

/** Transport profiles by the scheme of their URLs. OPC 10000-7. */
const PROFILES: Readonly<Record<string, string>> = {
  'opc.tcp:': UA_TCP_PROFILE_URI,
  'opc.wss:': UA_WSS_PROFILE_URI,
  'opc.ws:': UA_WSS_PROFILE_URI,
};

const HTTPS = 'opc.https:';

/** What endpoint descriptions are made of. */
export interface EndpointSources {
  readonly options: ResolvedServerOptions;
  /** DER chain of the application's certificate. */
  readonly certificateChain: Buffer;
  /** Base addresses such as `opc.tcp://host:4840`, the first one being the usual one. */
  readonly endpointUrls: readonly string[];
}

/** Relative strength, higher is better. OPC 10000-4 §7.14 leaves the scale to the server. */
const policyLevels: Readonly<Record<SecurityPolicyName, number>> = {
  None: 0,
  Basic256Sha256: 60,
  Aes128_Sha256_RsaOaep: 70,
  Aes256_Sha256_RsaPss: 80,
};

/** The server's own ApplicationDescription. OPC 10000-4 §7.2. */
export function applicationDescription({ options, endpointUrls }: EndpointSources): ApplicationDescription {
  return ApplicationDescription.create({
    applicationUri: options.applicationUri,
    productUri: options.productUri,
    applicationName: new LocalizedText(options.applicationName, 'en'),
    applicationType: ApplicationType.Server,
    discoveryUrls: endpointUrls,
  });
}

/** One description per URL, policy and mode. OPC 10000-4 §7.14. */
export function endpointDescriptions(sources: EndpointSources): EndpointDescription[] {
  const server = applicationDescription(sources);
  const { https, security } = sources.options;
  const { policies, modes } = security;
  const describe = (endpointUrl: string, name: SecurityPolicyName, mode: EndpointMode, transportProfileUri: string): EndpointDescription =>
    EndpointDescription.create({
      endpointUrl,
      server,
      serverCertificate: sources.certificateChain,
      securityMode: MessageSecurityMode[mode],
      securityPolicyUri: SecurityPolicies[name].uri,
      userIdentityTokens: userTokenPolicies(sources.options, name, endpointUrl.startsWith(HTTPS)),
      transportProfileUri,
      securityLevel: policyLevels[name] + (mode === 'SignAndEncrypt' ? 5 : 0),
    });
  return sources.endpointUrls.flatMap((endpointUrl) => {
    const scheme = new URL(endpointUrl).protocol;
    // TLS encrypts; the policy only says how nonces are signed. OPC 10000-6 §7.4.1.
    if (scheme === HTTPS) {
      const profiles = https?.json === true ? [HTTPS_BINARY_PROFILE_URI, HTTPS_JSON_PROFILE_URI] : [HTTPS_BINARY_PROFILE_URI];
      return profiles.flatMap((profile) => policies.map((name) => describe(endpointUrl, name, name === 'None' ? 'None' : 'Sign', profile)));
    }
    return policies.flatMap((name) =>
      (name === 'None' ? (['None'] as const) : modes).map((mode) => describe(endpointUrl, name, mode, PROFILES[scheme] ?? '')),
    );
  });
}

type EndpointMode = 'None' | 'Sign' | 'SignAndEncrypt';

/**
 * Passwords are always encrypted: by TLS, or on an endpoint without security by a policy of the token's own. OPC 10000-4 §7.42.
 */
function userTokenPolicies(options: ResolvedServerOptions, endpointPolicy: SecurityPolicyName, hasTls: boolean): UserTokenPolicy[] {
  const tokens: UserTokenPolicy[] = [];
  const { allowAnonymous, validateUser } = options.security;
  if (allowAnonymous) tokens.push(UserTokenPolicy.create({ policyId: 'anonymous', tokenType: UserTokenType.Anonymous }));
  if (validateUser !== undefined) {
    const policy = endpointPolicy === 'None' && !hasTls ? SecurityPolicies.Basic256Sha256 : SecurityPolicies[endpointPolicy];
    tokens.push(
      UserTokenPolicy.create({ policyId: `username_${policy.name}`, tokenType: UserTokenType.UserName, securityPolicyUri: policy.uri }),
    );
  }
  return tokens;
}
