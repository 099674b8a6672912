import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ClientSession,
  MessageSecurityMode,
  OPCUACertificateManager,
  OPCUAClient,
  type OPCUAClientOptions,
  SecurityPolicy,
  setErrorLogger,
  setWarningLogger,
  type UserIdentityInfo,
  UserTokenType,
} from 'node-opcua';

/** Of the Error in an ERR message. OPC 10000-6 §7.1.2.5. */
const ERROR_OFFSET = 8;
const DAY_MS = 86_400_000;

// Refusals are what many tests want; the library would print each of them.
setErrorLogger(() => undefined);
setWarningLogger(() => undefined);

/** A certificate of a client, made by the client's own library. */
export interface ClientCertificateOptions {
  readonly applicationUri?: string;
  /** ms since 1970. Default: an hour ago. */
  readonly validFromMs?: number;
  readonly validDays?: number;
}

/** What a server may say before it closes a connection: the code of its ERR message. */
export interface Refusals {
  readonly codes: number[];
}

/** A client certificate on disk. */
export interface ClientCertificate {
  readonly certificateFile: string;
  readonly der: Buffer;
}

export const CLIENT_URI = 'urn:test:foreign-client';

/** Clients that nobody here wrote, with a key and certificates in a folder of their own. */
export class ForeignClients {
  /** Self-signed and without a fault. */
  readonly certificate: ClientCertificate;
  readonly #folder: string;
  readonly #manager: OPCUACertificateManager;
  readonly #clients: OPCUAClient[] = [];
  #certificates = 0;

  private constructor(folder: string, manager: OPCUACertificateManager, certificate: ClientCertificate) {
    this.#folder = folder;
    this.#manager = manager;
    this.certificate = certificate;
  }

  /** Makes key and certificate, which takes a while: once per file is enough. */
  static async create(): Promise<ForeignClients> {
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-client-'));
    const manager = new OPCUACertificateManager({
      rootFolder: folder,
      automaticallyAcceptUnknownCertificate: true,
      disableFileWatchers: true,
    });
    await manager.initialize();
    return new ForeignClients(folder, manager, await makeCertificate(manager, folder, 'client', {}));
  }

  makeCertificate(options: ClientCertificateOptions): Promise<ClientCertificate> {
    return makeCertificate(this.#manager, this.#folder, `client-${++this.#certificates}`, options);
  }

  /** A client that doesn't try again: a test wants to see what happens. */
  client(options: Partial<OPCUAClientOptions> = {}): OPCUAClient {
    const client = OPCUAClient.create({
      applicationName: 'Foreign client',
      applicationUri: CLIENT_URI,
      clientCertificateManager: this.#manager,
      certificateFile: this.certificate.certificateFile,
      connectionStrategy: { maxRetry: 0, initialDelay: 50, maxDelay: 200 },
      ...options,
    });
    this.#clients.push(client);
    return client;
  }

  /**
   * Notes the codes of ERR messages that the server sends to `client`: the library tells only that it was disconnected.
   */
  watchErrors(client: OPCUAClient): Refusals {
    const codes: number[] = [];
    client.on('secure_channel_created', (channel) => {
      channel.on('receive_chunk', (chunk: Buffer) => {
        if (chunk.toString('latin1', 0, 3) === 'ERR') codes.push(chunk.readUInt32LE(ERROR_OFFSET));
      });
    });
    return { codes };
  }

  async connect(endpointUrl: string, options: Partial<OPCUAClientOptions> = {}): Promise<OPCUAClient> {
    const client = this.client(options);
    await client.connect(endpointUrl);
    return client;
  }

  /** Connects and logs in. */
  async session(endpointUrl: string, options: Partial<OPCUAClientOptions> = {}, user?: UserIdentityInfo): Promise<ClientSession> {
    const client = await this.connect(endpointUrl, options);
    return user === undefined ? client.createSession() : client.createSession(user);
  }

  /** Ends every client with its Sessions; what was ended already doesn't mind. */
  async disconnect(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.disconnect()));
  }

  /** Disconnects, and removes key and certificates. */
  async end(): Promise<void> {
    await this.disconnect();
    await this.#manager.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Without security, as a label of a test. */
export const unsecured: Partial<OPCUAClientOptions> = { securityMode: MessageSecurityMode.None, securityPolicy: SecurityPolicy.None };

/** Signed and encrypted with the policy that every client has. */
export const encrypted: Partial<OPCUAClientOptions> = {
  securityMode: MessageSecurityMode.SignAndEncrypt,
  securityPolicy: SecurityPolicy.Basic256Sha256,
};

/** A user with a password. */
export function userNamed(userName: string, password: string): UserIdentityInfo {
  return { type: UserTokenType.UserName, userName, password };
}

async function makeCertificate(
  manager: OPCUACertificateManager,
  folder: string,
  name: string,
  options: ClientCertificateOptions,
): Promise<ClientCertificate> {
  const { applicationUri = CLIENT_URI, validFromMs = Date.now() - 3_600_000, validDays = 30 } = options;
  const certificateFile = join(folder, `${name}.pem`);
  await manager.createSelfSignedCertificate({
    applicationUri,
    dns: ['localhost'],
    outputFile: certificateFile,
    subject: `/CN=${name}/O=Test`,
    startDate: new Date(validFromMs),
    endDate: new Date(validFromMs + validDays * DAY_MS),
    validity: validDays,
  });
  const base64 = /-----BEGIN CERTIFICATE-----([\s\S]*?)-----END/u.exec(readFileSync(certificateFile, 'latin1'))?.[1] ?? '';
  return { certificateFile, der: Buffer.from(base64, 'base64') };
}

/** Puts a certificate into a folder of a server's store, as an administrator would. */
export function putCertificate(certificate: ClientCertificate, folder: string): void {
  writeFileSync(join(folder, 'client.der'), certificate.der);
}
