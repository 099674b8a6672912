import type { KeyObject } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openApplicationIdentity } from './application-identity.ts';
import type { Certificate } from './certificate.ts';
import { FolderTrustList } from './folder-trust-list.ts';
import { LocalPrivateKey, type LocalPrivateKeyOptions } from './local-private-key.ts';
import { pemOf } from './pem.ts';
import type { PrivateKeyOperations } from './private-key-operations.ts';

/** How a PKI folder is opened. */
export interface CertificateStoreOptions {
  /** The PKI folder; it and all below it are made if missing. */
  readonly folder: string;
  readonly applicationUri: string;
  readonly applicationName: string;
  readonly organization?: string | undefined;
  /** Host names and IP addresses for the SubjectAlternativeName of a new certificate. */
  readonly hostNames: readonly string[];
  /** Validity of a new certificate. Default 5 years of 365 days. */
  readonly validityDays?: number | undefined;
  /** Key size for a new certificate. Default 2048. */
  readonly keySizeBits?: 2048 | 3072 | 4096 | undefined;
  /** Default `own/certs/application.der` in the folder. */
  readonly certificateFile?: string | undefined;
  /** Default `own/private/application.pem` in the folder. */
  readonly privateKeyFile?: string | undefined;
  /** Refused certificates kept, the oldest dropped. Default 100. */
  readonly maxRejectedCertificates?: number | undefined;
  /** Files read per folder. Default 10,000. */
  readonly maxFilesPerFolder?: number | undefined;
  readonly privateKeyLimits?: LocalPrivateKeyOptions | undefined;
  /** Present time, ms since 1970. Default: the system clock. */
  readonly nowMs?: number | undefined;
}

/**
 * The PKI folder of one application: `own/certs`, `own/private`, `trusted/certs`, `trusted/crl`, `issuers/certs`, `issuers/crl`,
 * `rejected`, and the same under `users` for the certificates of users. A first start makes key and certificate.
 */
export class CertificateStore {
  /** The application instance certificate. */
  readonly certificate: Certificate;
  /** The application's certificate and the CAs above it, as they are sent to peers. */
  readonly certificateChain: Buffer;
  readonly privateKey: PrivateKeyOperations;
  /** Which applications are trusted. */
  readonly trustList: FolderTrustList;
  /** Which user certificates are trusted. */
  readonly userTrustList: FolderTrustList;
  /** True if this start made the certificate. */
  readonly isNew: boolean;
  /** What an operator should be told once at start-up. */
  readonly warnings: readonly string[];
  readonly #key: KeyObject;
  readonly #chain: readonly Certificate[];

  private constructor(
    chain: readonly Certificate[],
    key: KeyObject,
    privateKey: PrivateKeyOperations,
    trustList: FolderTrustList,
    userTrustList: FolderTrustList,
    isNew: boolean,
    warnings: readonly string[],
  ) {
    this.certificate = chain[0] as Certificate;
    this.certificateChain = Buffer.concat(chain.map((link) => link.der));
    this.privateKey = privateKey;
    this.#key = key;
    this.#chain = chain;
    this.trustList = trustList;
    this.userTrustList = userTrustList;
    this.isNew = isNew;
    this.warnings = warnings;
  }

  /**
   * Opens the folder, making what is missing.
   * @throws UaStatusError `BadConfigurationError` if certificate and key don't belong together or a file can't be read or written.
   */
  static async open(options: CertificateStoreOptions): Promise<CertificateStore> {
    const { folder } = options;
    const privateFolder = join(folder, 'own', 'private');
    await mkdir(join(folder, 'own', 'certs'), { recursive: true });
    if ((await mkdir(privateFolder, { recursive: true })) !== undefined) await chmod(privateFolder, 0o700);
    const trustList = trustListIn(folder, options);
    const userTrustList = trustListIn(join(folder, 'users'), options);
    await trustList.createFolders();
    await userTrustList.createFolders();
    const { chain, privateKey, isNew, warnings } = await openApplicationIdentity({
      ...options,
      certificateFile: options.certificateFile ?? join(folder, 'own', 'certs', 'application.der'),
      privateKeyFile: options.privateKeyFile ?? join(privateFolder, 'application.pem'),
      nowMs: options.nowMs ?? Date.now(),
    });
    return new CertificateStore(
      chain,
      privateKey,
      new LocalPrivateKey(privateKey, options.privateKeyLimits),
      trustList,
      userTrustList,
      isNew,
      warnings,
    );
  }

  /** Certificate chain and private key as TLS wants them: PEM. */
  tlsIdentity(): { readonly cert: string; readonly key: string } {
    const cert = this.#chain.map(({ der }) => pemOf('CERTIFICATE', der)).join('');
    return { cert, key: this.#key.export({ type: 'pkcs8', format: 'pem' }).toString() };
  }

  /** Settles when the certificates refused so far are stored. The store holds nothing else open. */
  async close(): Promise<void> {
    await Promise.all([this.trustList.flush(), this.userTrustList.flush()]);
  }
}

function trustListIn(folder: string, options: CertificateStoreOptions): FolderTrustList {
  return new FolderTrustList({
    trustedFolder: join(folder, 'trusted'),
    issuersFolder: join(folder, 'issuers'),
    rejectedFolder: join(folder, 'rejected'),
    maxRejectedCertificates: options.maxRejectedCertificates,
    maxFilesPerFolder: options.maxFilesPerFolder,
  });
}
