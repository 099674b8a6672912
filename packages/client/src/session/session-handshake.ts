import {
  checkSessionNonce,
  MIN_SESSION_NONCE_BYTES,
  parseCertificateChain,
  type SignatureFields,
  signatureInput,
  signData,
  verifySignature,
} from '@bulkhead/security';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  type ApplicationDescription,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  type EndpointDescription,
  type NodeId,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import type { RequestOptions } from '../connection/client-connection.ts';
import type { ServiceConnection } from '../connection/service-connection.ts';
import { checkEndpoints } from './endpoint-check.ts';
import { type ClientUser, userIdentityToken } from './user-identity.ts';

/** What a Session is made of. */
export interface SessionSeed {
  readonly application: ApplicationDescription;
  /** The endpoint that the connection's channel was opened to. */
  readonly endpoint: EndpointDescription;
  /** What discovery told; undefined if there was none. */
  readonly discoveredEndpoints?: readonly EndpointDescription[] | undefined;
  readonly user: ClientUser;
  readonly sessionName: string;
  readonly requestedSessionTimeoutMs: number;
  readonly localeIds: readonly string[];
}

/** A Session that exists in the server. */
export interface CreatedSession {
  readonly sessionId: NodeId;
  readonly authenticationToken: NodeId;
  readonly sessionTimeoutMs: number;
  /** Largest request that the server takes in this Session, in bytes; 0: no limit. */
  readonly maxRequestMessageBytes: number;
  readonly serverNonce: Uint8Array;
}

const NO_BYTES: Uint8Array = new Uint8Array(0);
const NO_SIGNATURE: SignatureFields = { algorithm: null, signature: null };

/**
 * CreateSession, and all that a client has to check in its response. OPC 10000-4 §5.7.2.
 * @throws UaStatusError (as a rejection) BadCertificateInvalid, BadApplicationSignatureInvalid, BadNonceInvalid,
 * BadSecurityChecksFailed, or what the server refuses with.
 */
export async function createSession(connection: ServiceConnection, seed: SessionSeed, options?: RequestOptions): Promise<CreatedSession> {
  const { policy, identity } = connection.security;
  const clientNonce = connection.runtime.random.bytes(MIN_SESSION_NONCE_BYTES);
  const clientCertificate = identity?.certificate.der ?? null;
  const created = await connection.request(
    CreateSessionRequest,
    CreateSessionResponse,
    {
      clientDescription: seed.application,
      endpointUrl: seed.endpoint.endpointUrl,
      sessionName: seed.sessionName,
      clientNonce,
      clientCertificate,
      requestedSessionTimeout: seed.requestedSessionTimeoutMs,
    },
    undefined,
    options,
  );
  // Without security the second list is worth no more than the first.
  if (policy.isSecure && clientCertificate !== null) {
    try {
      checkServer(connection, created, signatureInput(clientCertificate, clientNonce));
      if (seed.discoveredEndpoints !== undefined) checkEndpoints(seed.discoveredEndpoints, created.serverEndpoints ?? []);
    } catch (error) {
      await connection.request(CloseSessionRequest, CloseSessionResponse, {}, created.authenticationToken, options).catch(() => undefined);
      throw error;
    }
  }
  return {
    sessionId: created.sessionId,
    authenticationToken: created.authenticationToken,
    sessionTimeoutMs: created.revisedSessionTimeout,
    maxRequestMessageBytes: created.maxRequestMessageSize,
    serverNonce: created.serverNonce ?? NO_BYTES,
  };
}

/**
 * ActivateSession: logs in, or moves the Session to `connection`. OPC 10000-4 §5.7.3.
 * @returns the server's next nonce.
 * @throws UaStatusError (as a rejection) as `userIdentityToken`, or what the server refuses with.
 */
export async function activateSession(
  connection: ServiceConnection,
  created: CreatedSession,
  seed: SessionSeed,
  options?: RequestOptions,
): Promise<Uint8Array> {
  const { security } = connection;
  const token = userIdentityToken(seed.user, seed.endpoint, security, created.serverNonce);
  const { serverNonce } = await connection.request(
    ActivateSessionRequest,
    ActivateSessionResponse,
    {
      clientSignature: await signForServer(connection, created.serverNonce),
      localeIds: seed.localeIds.length === 0 ? null : seed.localeIds,
      userIdentityToken: token,
      userTokenSignature: NO_SIGNATURE,
    },
    created.authenticationToken,
    options,
  );
  checkSessionNonce(security.policy, serverNonce);
  await connection.sessionActivated?.(created.authenticationToken, options);
  return serverNonce ?? NO_BYTES;
}

function signForServer({ security }: ServiceConnection, serverNonce: Uint8Array): Promise<SignatureFields> | SignatureFields {
  const { identity, policy, serverCertificate } = security;
  if (identity === undefined || serverCertificate === undefined) return NO_SIGNATURE;
  return signData(policy, identity.privateKey, signatureInput(serverCertificate.der, serverNonce));
}

function checkServer({ security }: ServiceConnection, created: CreateSessionResponse, signed: Buffer): void {
  const { policy, serverCertificate } = security;
  const [leaf] = created.serverCertificate === null ? [] : parseCertificateChain(created.serverCertificate);
  if (serverCertificate === undefined || leaf?.der.equals(serverCertificate.der) !== true) {
    throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'CreateSession came with another certificate than the channel');
  }
  if (!verifySignature(policy, serverCertificate, signed, created.serverSignature)) {
    throw new UaStatusError(StatusCodes.BadApplicationSignatureInvalid, "the server's signature in CreateSession is wrong");
  }
  checkSessionNonce(policy, created.serverNonce);
}
