import { generateKeyPairSync } from 'node:crypto';
import {
  Certificate,
  createApplicationCertificate,
  encryptUserSecret,
  LocalPrivateKey,
  SecurityPolicies,
  type SecurityPolicy,
  signatureInput,
  signData,
} from '@bulkhead/security';
import { RawUacpPeer, type RawUacpPeerOptions, SecuredUacpPeer, type SecuredUacpPeerOptions } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  ApplicationDescription,
  ApplicationType,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  ExtensionObject,
  LocalizedText,
  MessageSecurityMode,
  type NodeId,
  RequestHeader,
  SignatureData,
  type StatusCode,
  UserNameIdentityToken,
} from '@bulkhead/types';

/** A client's certificate and its key. */
export type ClientIdentity = NonNullable<SecuredUacpPeerOptions['identity']>;

const YEAR_MS = 365 * 86_400_000;

/** A client application with a new key and a self-signed certificate. */
export async function makeIdentity(name: string): Promise<ClientIdentity> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = await createApplicationCertificate(privateKey, publicKey, {
    applicationUri: uriOf(name),
    applicationName: name,
    hostNames: ['localhost'],
    notBeforeMs: Date.now() - YEAR_MS,
  });
  return { certificate: Certificate.parse(der), certificateChain: der, privateKey: new LocalPrivateKey(privateKey) };
}

function uriOf(name: string): string {
  return `urn:hostile:${name}`;
}

export interface SecuredClientOptions extends RawUacpPeerOptions {
  readonly policy: SecurityPolicy;
  readonly mode?: MessageSecurityMode;
  readonly identity: ClientIdentity;
  readonly serverCertificate: Certificate;
  readonly requestedLifetimeMs?: number;
}

/** Opens a secured channel. @throws Error with the code of the server's ERR. */
export async function openSecured(options: SecuredClientOptions): Promise<SecuredUacpPeer> {
  const { policy, mode = MessageSecurityMode.SignAndEncrypt, identity, serverCertificate, requestedLifetimeMs } = options;
  const raw = await RawUacpPeer.connect(options);
  return SecuredUacpPeer.open(raw, {
    policy,
    mode,
    identity,
    serverCertificate,
    ...(requestedLifetimeMs === undefined ? {} : { requestedLifetimeMs }),
  });
}

/** A Session on a secured channel that isn't activated yet; each step can be made wrong. */
export class SecuredSession {
  readonly peer: SecuredUacpPeer;
  readonly created: CreateSessionResponse;
  readonly #options: SecuredClientOptions;

  private constructor(peer: SecuredUacpPeer, created: CreateSessionResponse, options: SecuredClientOptions) {
    this.peer = peer;
    this.created = created;
    this.#options = options;
  }

  static async create(options: SecuredClientOptions): Promise<SecuredSession> {
    const peer = await openSecured(options);
    const { certificate, certificateChain } = options.identity;
    const clientDescription = ApplicationDescription.create({
      applicationUri: certificate.applicationUris[0] ?? null,
      applicationName: new LocalizedText('hostile'),
      applicationType: ApplicationType.Client,
    });
    const init = {
      clientDescription,
      clientCertificate: certificateChain,
      clientNonce: Buffer.alloc(32, 7),
      requestedSessionTimeout: 60_000,
    };
    return new SecuredSession(peer, await peer.request(CreateSessionRequest, init, CreateSessionResponse), options);
  }

  get token(): NodeId {
    return this.created.authenticationToken;
  }

  header(): RequestHeader {
    return RequestHeader.create({ authenticationToken: this.token, requestHandle: 1 });
  }

  async signature(): Promise<SignatureData> {
    const { identity, policy } = this.#options;
    const data = signatureInput(this.created.serverCertificate ?? Buffer.alloc(0), this.created.serverNonce ?? Buffer.alloc(0));
    return SignatureData.create(await signData(policy, identity.privateKey, data));
  }

  /** A user token whose password is encrypted as it should be. */
  userToken(userName: string, password: string, nonce: Uint8Array = this.created.serverNonce ?? Buffer.alloc(0)): ExtensionObject {
    const { policy, serverCertificate } = this.#options;
    const { encryptionAlgorithm, secret } = encryptUserSecret(policy, serverCertificate, Buffer.from(password), nonce);
    return userNameToken(userName, secret, encryptionAlgorithm);
  }

  /** @returns the ServiceResult of ActivateSession. */
  async activate(userIdentityToken: ExtensionObject, clientSignature?: SignatureData): Promise<StatusCode> {
    const init = { requestHeader: this.header(), userIdentityToken, clientSignature: clientSignature ?? (await this.signature()) };
    return (await this.peer.response(this.peer.sendRequest(ActivateSessionRequest, init))).header.serviceResult;
  }

  async close(): Promise<void> {
    await this.peer.request(CloseSessionRequest, { requestHeader: this.header(), deleteSubscriptions: true }, CloseSessionResponse);
    await this.peer.close();
  }
}

export function userNameToken(userName: string, password: Uint8Array | null, encryptionAlgorithm: string | null): ExtensionObject {
  return ExtensionObject.of(
    UserNameIdentityToken,
    UserNameIdentityToken.create({ policyId: null, userName, password, encryptionAlgorithm }),
  );
}

/** A password for a Session without security: it is encrypted all the same. */
export function passwordToken(serverCertificate: Certificate, { serverNonce }: CreateSessionResponse): ExtensionObject {
  const policy = SecurityPolicies.Basic256Sha256;
  const { encryptionAlgorithm, secret } = encryptUserSecret(
    policy,
    serverCertificate,
    Buffer.from('password'),
    serverNonce ?? Buffer.alloc(0),
  );
  return userNameToken('user', secret, encryptionAlgorithm);
}
