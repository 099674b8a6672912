import { randomBytes } from 'node:crypto';
import { SecurityPolicies, type SignatureFields, signatureInput, signData, verifySignature } from '@bulkhead/security';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  AnonymousIdentityToken,
  ApplicationType,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  type EndpointDescription,
  ExtensionObject,
  LocalizedText,
  MessageSecurityMode,
  NodeId,
  type RequestHeader,
  type RequestType,
  type ResponseHeader,
  type ResponseType,
  UserTokenType,
} from '@bulkhead/types';
import { APPLICATION_URI, type ClientSecurity } from './client-security.ts';
import type { ClientConnection } from './connection.ts';

const SESSION_TIMEOUT_MS = 600_000;
const NONCE_BYTES = 32;
const NO_SIGNATURE: SignatureFields = { algorithm: null, signature: null };

/** An activated anonymous Session on a connection of its own. */
export class ClientSession {
  readonly connection: ClientConnection;
  readonly authenticationToken: NodeId;

  private constructor(connection: ClientConnection, authenticationToken: NodeId) {
    this.connection = connection;
    this.authenticationToken = authenticationToken;
  }

  /** @param security undefined for SecurityPolicy None; otherwise what the connection's channel was opened with. */
  static async open(connection: ClientConnection, security: ClientSecurity | undefined): Promise<ClientSession> {
    const created = await createSession(connection, security);
    const session = new ClientSession(connection, created.authenticationToken);
    await session.call(ActivateSessionRequest, ActivateSessionResponse, {
      clientSignature: await clientSignature(created, security),
      clientSoftwareCertificates: null,
      localeIds: null,
      userIdentityToken: ExtensionObject.of(AnonymousIdentityToken, {
        policyId: anonymousPolicyId(created.serverEndpoints ?? [], security),
      }),
      userTokenSignature: NO_SIGNATURE,
    });
    return session;
  }

  call<Q extends { requestHeader: RequestHeader }, S extends { responseHeader: ResponseHeader }>(
    request: RequestType<Q>,
    response: ResponseType<S>,
    fields: Omit<Q, 'requestHeader'>,
  ): Promise<S> {
    return this.connection.call(request, response, this.authenticationToken, fields);
  }

  /** Closes the Session with its subscriptions, then the connection. */
  async close(): Promise<void> {
    await this.call(CloseSessionRequest, CloseSessionResponse, { deleteSubscriptions: true });
    await this.connection.close();
  }
}

async function createSession(connection: ClientConnection, security: ClientSecurity | undefined): Promise<CreateSessionResponse> {
  const clientNonce = randomBytes(NONCE_BYTES);
  const clientCertificate = security?.identity.certificate.der ?? null;
  const created = await connection.call(CreateSessionRequest, CreateSessionResponse, NodeId.NULL, {
    clientDescription: {
      applicationUri: APPLICATION_URI,
      productUri: APPLICATION_URI,
      applicationName: new LocalizedText('Bulkhead benchmarks'),
      applicationType: ApplicationType.Client,
      gatewayServerUri: null,
      discoveryProfileUri: null,
      discoveryUrls: null,
    },
    serverUri: null,
    endpointUrl: connection.endpointUrl,
    sessionName: 'benchmarks',
    clientNonce,
    clientCertificate,
    requestedSessionTimeout: SESSION_TIMEOUT_MS,
    maxResponseMessageSize: 0,
  });
  if (security && clientCertificate) {
    const { policy, serverCertificate } = security;
    const isSigned = verifySignature(policy, serverCertificate, signatureInput(clientCertificate, clientNonce), created.serverSignature);
    if (!isSigned) throw new Error("the server's signature in CreateSession is wrong");
  }
  return created;
}

async function clientSignature(created: CreateSessionResponse, security: ClientSecurity | undefined): Promise<SignatureFields> {
  if (!security) return NO_SIGNATURE;
  const { policy, identity, serverCertificate } = security;
  return signData(policy, identity.privateKey, signatureInput(serverCertificate.der, created.serverNonce ?? Buffer.alloc(0)));
}

/** The policy of the anonymous token at the endpoint that is used. OPC 10000-4 §7.42. */
function anonymousPolicyId(endpoints: readonly EndpointDescription[], security: ClientSecurity | undefined): string | null {
  const mode = security ? MessageSecurityMode.SignAndEncrypt : MessageSecurityMode.None;
  const policyUri = (security?.policy ?? SecurityPolicies.None).uri;
  const endpoint = endpoints.find(({ securityMode, securityPolicyUri }) => securityMode === mode && securityPolicyUri === policyUri);
  const token = endpoint?.userIdentityTokens?.find(({ tokenType }) => tokenType === UserTokenType.Anonymous);
  if (!token) throw new Error('the server offers no anonymous sessions on this endpoint');
  return token.policyId;
}
