import { SecurityPolicies, type SecurityPolicyName } from '@bulkhead/security';
import {
  HTTPS_BINARY_PROFILE_URI,
  HTTPS_JSON_PROFILE_URI,
  HTTPS_OPENAPI_PROFILE_URI,
  WSS_JSON_PROFILE_URI,
  WSS_OPENAPI_PROFILE_URI,
} from '@bulkhead/transport-https';
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

/** What is spoken at URLs of a scheme. OPC 10000-7. */
interface Transport {
  readonly binary: string;
  /** Profiles of JSON, which TLS alone secures. */
  readonly json: readonly string[];
}

const UACP_OVER_WEBSOCKET: Transport = { binary: UA_WSS_PROFILE_URI, json: [WSS_JSON_PROFILE_URI, WSS_OPENAPI_PROFILE_URI] };
const TRANSPORTS: Readonly<Record<string, Transport>> = {
  'opc.tcp:': { binary: UA_TCP_PROFILE_URI, json: [] },
  'opc.wss:': UACP_OVER_WEBSOCKET,
  'opc.ws:': UACP_OVER_WEBSOCKET,
  'opc.https:': { binary: HTTPS_BINARY_PROFILE_URI, json: [HTTPS_JSON_PROFILE_URI, HTTPS_OPENAPI_PROFILE_URI] },
};

/** What has SecureChannels; all else is secured by TLS. */
const SECURE_CONVERSATION: ReadonlySet<string> = new Set([UA_TCP_PROFILE_URI, UA_WSS_PROFILE_URI]);

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

/** One description per URL, profile, policy and mode. OPC 10000-4 §7.14. */
export function endpointDescriptions(sources: EndpointSources): EndpointDescription[] {
  const server = applicationDescription(sources);
  const { https, security, webSocket } = sources.options;
  const { policies, modes } = security;
  const describe = (endpointUrl: string, name: SecurityPolicyName, mode: EndpointMode, transportProfileUri: string): EndpointDescription =>
    EndpointDescription.create({
      endpointUrl,
      server,
      serverCertificate: sources.certificateChain,
      securityMode: MessageSecurityMode[mode],
      securityPolicyUri: SecurityPolicies[name].uri,
      userIdentityTokens: userTokenPolicies(sources.options, name, !SECURE_CONVERSATION.has(transportProfileUri)),
      transportProfileUri,
      securityLevel: policyLevels[name] + (mode === 'SignAndEncrypt' ? 5 : 0),
    });
  return sources.endpointUrls.flatMap((endpointUrl) => {
    const scheme = new URL(endpointUrl).protocol;
    const { binary, json } = TRANSPORTS[scheme] as Transport;
    const inJson = https?.json === true && policies.includes('None') ? json : [];
    const isBinary = !scheme.startsWith('opc.ws') || webSocket !== undefined;
    const modesOf = (name: SecurityPolicyName): readonly EndpointMode[] =>
      name === 'None' ? ['None'] : scheme === HTTPS ? ['Sign'] : modes;
    return [
      ...(isBinary ? policies : []).flatMap((name) => modesOf(name).map((mode) => describe(endpointUrl, name, mode, binary))),
      ...inJson.map((profile) => describe(endpointUrl, 'None', 'None', profile)),
    ];
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
