import { findSecurityPolicy, type SecurityPolicy, type SecurityPolicyName } from '@bulkhead/security';
import { UA_TCP_PROFILE_URI } from '@bulkhead/transport-tcp';
import { UA_WSS_PROFILE_URI } from '@bulkhead/transport-websocket';
import { type EndpointDescription, MessageSecurityMode, StatusCodes, UaStatusError, type UserTokenType } from '@bulkhead/types';
import { protocolOf } from './transport/endpoint-url.ts';

/** What an endpoint has to offer. */
export interface EndpointCriteria {
  /** Default: the strongest that both sides know, `None` only when asked for. */
  readonly policy?: SecurityPolicyName | undefined;
  /** Default: the strongest; `None` only when asked for. */
  readonly mode?: keyof Pick<typeof MessageSecurityMode, 'None' | 'Sign' | 'SignAndEncrypt'> | undefined;
  /** Endpoints that don't take this kind of user are left out. */
  readonly userTokenType?: UserTokenType | undefined;
  /** How messages are written. Default `binary`. */
  readonly encoding?: 'binary' | 'json' | undefined;
}

/** Weakest first; this side's own opinion, as a server's securityLevel travels unprotected. */
const POLICY_ORDER: readonly SecurityPolicyName[] = ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'];

/** Profiles that can be reached by a URL of this scheme; the .NET stack has a name of its own for opc.wss. OPC 10000-7. */
const PROFILES: Readonly<Record<'binary' | 'json', Readonly<Record<string, readonly string[]>>>> = {
  binary: {
    'opc.tcp:': [UA_TCP_PROFILE_URI, ''],
    'opc.https:': ['http://opcfoundation.org/UA-Profile/Transport/https-uabinary'],
    'opc.wss:': [UA_WSS_PROFILE_URI, 'http://opcfoundation.org/UA-Profile/Transport/uawss-uasc-uabinary'],
  },
  json: {
    'opc.https:': ['http://opcfoundation.org/UA-Profile/Transport/https-uajson'],
    'opc.wss:': ['http://opcfoundation.org/UA-Profile/Transport/wss-uajson'],
  },
};
const SCHEMES: Readonly<Record<string, string>> = {
  'wss:': 'opc.wss:',
  'ws:': 'opc.wss:',
  'opc.ws:': 'opc.wss:',
  'https:': 'opc.https:',
  'opc.http:': 'opc.https:',
  'http:': 'opc.https:',
};

interface Candidate {
  readonly endpoint: EndpointDescription;
  readonly policy: SecurityPolicy;
}

/**
 * Chooses among the endpoints of a server: encrypted before signed before unsecured, then by policy, then by securityLevel. An
 * unsecured endpoint is chosen only when policy or mode `None` is asked for, or when TLS secures the connection itself, so that
 * nobody on the way can talk a client out of security by changing the list.
 * @param connectUrl the URL that reached the server: its host and port replace those in the description, which may be known only
 * inside the server's own network. OPC 10000-4 §5.5.4.
 * @throws UaStatusError BadSecurityModeRejected when nothing fits, BadIdentityTokenRejected when only the user doesn't.
 */
export function selectEndpoint(
  endpoints: readonly EndpointDescription[],
  criteria: EndpointCriteria,
  connectUrl: string,
): EndpointDescription {
  const scheme = protocolOf(connectUrl);
  const { encoding = 'binary' } = criteria;
  const profiles = PROFILES[encoding][SCHEMES[scheme] ?? scheme] ?? [];
  const reachable = endpoints.filter(({ transportProfileUri }) => profiles.includes(transportProfileUri ?? ''));
  const hasTls = scheme.endsWith('https:') || (encoding === 'json' && scheme.endsWith('wss:'));
  const secured = reachable.flatMap((endpoint) => candidateOf(endpoint, criteria, hasTls));
  if (secured.length === 0) {
    throw new UaStatusError(StatusCodes.BadSecurityModeRejected, `no endpoint of ${connectUrl} with ${describeCriteria(criteria)}`);
  }
  const { userTokenType } = criteria;
  const fitting = userTokenType === undefined ? secured : secured.filter(({ endpoint }) => takesUser(endpoint, userTokenType));
  const [best] = fitting.sort(compareStrength);
  if (best === undefined) throw new UaStatusError(StatusCodes.BadIdentityTokenRejected, `no endpoint of ${connectUrl} takes this user`);
  return { ...best.endpoint, endpointUrl: withHostOf(best.endpoint.endpointUrl, connectUrl) };
}

function candidateOf(endpoint: EndpointDescription, { policy: policyName, mode }: EndpointCriteria, hasTls: boolean): Candidate[] {
  const policy = findSecurityPolicy(endpoint.securityPolicyUri);
  const { securityMode } = endpoint;
  if (policy === undefined) return [];
  if (policy.isSecure === (securityMode === MessageSecurityMode.None) || securityMode === MessageSecurityMode.Invalid) return [];
  if (policyName !== undefined && policy.name !== policyName) return [];
  if (mode !== undefined && securityMode !== MessageSecurityMode[mode]) return [];
  const isUnsecuredWanted = policyName === 'None' || mode === 'None';
  return policy.isSecure || isUnsecuredWanted || hasTls ? [{ endpoint, policy }] : [];
}

function takesUser({ userIdentityTokens }: EndpointDescription, userTokenType: UserTokenType): boolean {
  return userIdentityTokens?.some(({ tokenType }) => tokenType === userTokenType) ?? false;
}

function compareStrength(a: Candidate, b: Candidate): number {
  return (
    b.endpoint.securityMode - a.endpoint.securityMode ||
    POLICY_ORDER.indexOf(b.policy.name) - POLICY_ORDER.indexOf(a.policy.name) ||
    b.endpoint.securityLevel - a.endpoint.securityLevel
  );
}

function withHostOf(endpointUrl: string | null, connectUrl: string): string {
  if (endpointUrl === null || !URL.canParse(endpointUrl) || !URL.canParse(connectUrl)) return connectUrl;
  const described = new URL(endpointUrl);
  const { host } = new URL(connectUrl);
  return `${described.protocol}//${host}${described.pathname}${described.search}`;
}

function describeCriteria({ policy, mode }: EndpointCriteria): string {
  return `policy ${policy ?? 'of any security'} and mode ${mode ?? 'of any security'}`;
}
