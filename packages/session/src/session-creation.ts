import type { Runtime, SecureChannelContext } from '@bulkhead/contracts';
import {
  type CertificateCache,
  checkSessionNonce,
  findSecurityPolicy,
  type SecurityPolicy,
  signatureInput,
  signData,
} from '@bulkhead/security';
import {
  type CreateSessionRequest,
  type CreateSessionResponse,
  type EndpointDescription,
  NodeId,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { channelCertificate, checkClient } from './client-certificate.ts';
import { Session, type SessionSeed } from './session.ts';
import type { SessionEndpoints, SessionLimits } from './session-options.ts';
import { AUTHENTICATION_TOKEN_BYTES } from './session-table.ts';

/** Length of a server nonce. OPC 10000-4 §5.7.2.2 asks for at least 32 bytes. */
export const SERVER_NONCE_BYTES = 32;
/** Longest name or URI of a client that is kept; more is cut off. */
const MAX_KEPT_TEXT_LENGTH = 512;
/** Namespace of this server's own NodeIds. */
const SERVER_NAMESPACE = 1;

/** What `SessionCreation` works with. */
export interface SessionCreationParts {
  readonly runtime: Runtime;
  readonly limits: SessionLimits;
  readonly endpoints: SessionEndpoints;
  readonly certificates: CertificateCache;
  /** Takes the place for one more Session, or throws BadTooManySessions. It may be given back more than once. */
  readonly reservePlace: (channel: SecureChannelContext) => Disposable;
  /** Makes a Session known, in the place reserved for it. */
  readonly register: (session: Session, authenticationToken: NodeId) => void;
}

/** A CreateSession that passed its checks and has a place. */
interface AdmittedCreation {
  readonly request: CreateSessionRequest;
  readonly channel: SecureChannelContext;
  readonly policy: SecurityPolicy;
  readonly clientCertificate: SessionSeed['clientCertificate'];
  readonly endpoint: EndpointDescription;
  readonly serverEndpoints: readonly EndpointDescription[];
  readonly place: Disposable;
}

/** The CreateSession service. OPC 10000-4 §5.7.2. */
export class SessionCreation {
  readonly #parts: SessionCreationParts;
  #createdCount = 0;

  constructor(parts: SessionCreationParts) {
    this.#parts = parts;
  }

  async create(request: CreateSessionRequest, channel: SecureChannelContext): Promise<Omit<CreateSessionResponse, 'responseHeader'>> {
    const policy = policyOfChannel(channel);
    const authentication = this.#parts.endpoints.authenticateClient?.(request, channel, policy);
    if (authentication !== undefined) await authentication;
    const certificate = channelCertificate(channel, policy, this.#parts.certificates);
    checkClient(request, certificate);
    checkSessionNonce(policy, request.clientNonce);
    const serverEndpoints = this.#parts.endpoints.describe(channel, request.endpointUrl);
    const endpoint = endpointOf(channel, serverEndpoints);
    const place = this.#parts.reservePlace(channel);
    try {
      return await this.#create({ request, channel, policy, clientCertificate: certificate, endpoint, serverEndpoints, place });
    } finally {
      place[Symbol.dispose]();
    }
  }

  async #create(admitted: AdmittedCreation): Promise<Omit<CreateSessionResponse, 'responseHeader'>> {
    const { request, channel, policy, clientCertificate, endpoint, serverEndpoints, place } = admitted;
    const { endpoints, limits, runtime } = this.#parts;
    const credentials = endpoints.credentials(channel);
    if (policy.isSecure && credentials === undefined)
      throw new UaStatusError(StatusCodes.BadInternalError, 'no credentials for a secured channel');
    const signature =
      credentials === undefined || clientCertificate === undefined || request.clientNonce === null
        ? { algorithm: null, signature: null }
        : await signData(policy, credentials.privateKey, signatureInput(clientCertificate.der, request.clientNonce));
    if (!channel.isOpen) throw new UaStatusError(StatusCodes.BadSecureChannelClosed, 'the channel closed before the Session was made');
    const nowMs = runtime.clock.nowMs();
    const session = new Session({
      sessionId: NodeId.guid(SERVER_NAMESPACE, guidOf(runtime.random.bytes(16))),
      sessionName: keptText(request.sessionName) || `Session ${++this.#createdCount}`,
      clientApplicationUri: keptText(request.clientDescription.applicationUri),
      clientApplicationName: keptText(request.clientDescription.applicationName.text),
      channel,
      policy,
      clientCertificate,
      credentials,
      userTokenPolicies: endpoint.userIdentityTokens ?? [],
      timeoutMs: revisedTimeoutMs(request.requestedSessionTimeout, limits),
      maxResponseMessageBytes: request.maxResponseMessageSize,
      createdAtMs: nowMs,
      activateByMs: nowMs + limits.activationTimeoutMs,
      serverNonce: runtime.random.bytes(SERVER_NONCE_BYTES),
    });
    const authenticationToken = NodeId.opaque(0, runtime.random.bytes(AUTHENTICATION_TOKEN_BYTES));
    // From here on the Session itself counts; both at once would take two places.
    place[Symbol.dispose]();
    this.#parts.register(session, authenticationToken);
    return {
      sessionId: session.sessionId,
      authenticationToken,
      revisedSessionTimeout: session.timeoutMs,
      serverNonce: session.serverNonce,
      serverCertificate: credentials?.certificateChain ?? null,
      serverEndpoints,
      serverSoftwareCertificates: [],
      serverSignature: signature,
      maxRequestMessageSize: limits.maxRequestMessageBytes,
    };
  }
}

/** @throws UaStatusError BadSecurityPolicyRejected for a policy that isn't known. */
export function policyOfChannel(channel: SecureChannelContext): SecurityPolicy {
  const policy = findSecurityPolicy(channel.securityPolicyUri);
  if (policy === undefined) throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, 'unknown security policy');
  return policy;
}

/**
 * The endpoint that a channel belongs to; one secured like none of them is there for discovery only (OPC 10000-4 §5.5.1).
 * @throws UaStatusError BadSecurityPolicyRejected.
 */
function endpointOf(channel: SecureChannelContext, endpoints: readonly EndpointDescription[]): EndpointDescription {
  const endpoint = endpoints.find(
    ({ securityPolicyUri, securityMode }) => securityPolicyUri === channel.securityPolicyUri && securityMode === channel.securityMode,
  );
  if (endpoint === undefined) throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, 'a channel for discovery only');
  return endpoint;
}

/** Anything that is no number of ms between the limits becomes the nearer limit; NaN the lower. */
function revisedTimeoutMs(requestedMs: number, { minTimeoutMs, maxTimeoutMs }: SessionLimits): number {
  return requestedMs >= minTimeoutMs ? Math.min(requestedMs, maxTimeoutMs) : minTimeoutMs;
}

function keptText(text: string | null): string {
  return (text ?? '').slice(0, MAX_KEPT_TEXT_LENGTH);
}

function guidOf(random: Buffer): string {
  const hex = random.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
