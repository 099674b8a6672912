import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Certificate, MAX_CERTIFICATE_BYTES } from './certificate.ts';
import { splitCertificateChain } from './certificate-chain.ts';
import { CertificateRevocationList, MAX_REVOCATION_LIST_BYTES } from './certificate-revocation-list.ts';
import { isPem, readPemBlocks } from './pem.ts';
import { RejectedCertificates } from './rejected-certificates.ts';
import { StaticTrustSnapshot, type TrustList, type TrustSnapshot } from './trust-list.ts';
import { WatchedFolder } from './watched-folder.ts';

/** Where a trust list lies and how much of it is read. */
export interface FolderTrustListOptions {
  /** Folder with `certs` and `crl` below it: certificates trusted by themselves, and CAs whose certificates are trusted. */
  readonly trustedFolder: string;
  /** Folder with `certs` and `crl` below it: CAs that complete chains but don't give trust. */
  readonly issuersFolder: string;
  readonly rejectedFolder: string;
  /** Refused certificates kept, the oldest dropped; 0 keeps none. Default 100. */
  readonly maxRejectedCertificates?: number | undefined;
  /** Files read per folder. Default 10,000. */
  readonly maxFilesPerFolder?: number | undefined;
}

const CERTIFICATE_EXTENSIONS = ['.der', '.crt', '.cer', '.pem'];
const REVOCATION_LIST_EXTENSIONS = ['.crl', '.der', '.pem'];
/** A PEM file is a third longer than its DER bytes and may hold a whole chain. */
const MAX_CERTIFICATE_FILE_BYTES = 4 * MAX_CERTIFICATE_BYTES;

/** A trust list in folders. Files that are added, removed or replaced count from the next validation on, without a restart. */
export class FolderTrustList implements TrustList {
  readonly #options: FolderTrustListOptions;
  readonly #folders: readonly [
    WatchedFolder<Certificate>,
    WatchedFolder<Certificate>,
    WatchedFolder<CertificateRevocationList>,
    WatchedFolder<CertificateRevocationList>,
  ];
  readonly #rejected: RejectedCertificates;
  #lastContent: readonly unknown[] = [];
  #lastSnapshot: TrustSnapshot = new StaticTrustSnapshot({});

  constructor(options: FolderTrustListOptions) {
    const maxFiles = options.maxFilesPerFolder ?? 10_000;
    this.#options = options;
    this.#folders = [
      certificateFolder(join(options.trustedFolder, 'certs'), maxFiles),
      certificateFolder(join(options.issuersFolder, 'certs'), maxFiles),
      revocationListFolder(join(options.trustedFolder, 'crl'), maxFiles),
      revocationListFolder(join(options.issuersFolder, 'crl'), maxFiles),
    ];
    this.#rejected = new RejectedCertificates(options.rejectedFolder, options.maxRejectedCertificates ?? 100);
  }

  /** Makes the folders that are missing. */
  async createFolders(): Promise<void> {
    const { trustedFolder, issuersFolder, rejectedFolder } = this.#options;
    const paths = [trustedFolder, issuersFolder].flatMap((folder) => [join(folder, 'certs'), join(folder, 'crl')]);
    for (const path of [...paths, rejectedFolder]) await mkdir(path, { recursive: true });
  }

  async snapshot(): Promise<TrustSnapshot> {
    const [trustedFolder, issuersFolder, trustedLists, issuersLists] = this.#folders;
    const [trusted, issuers, ...lists] = await Promise.all([
      trustedFolder.items(),
      issuersFolder.items(),
      trustedLists.items(),
      issuersLists.items(),
    ]);
    const content = [trusted, issuers, ...lists];
    if (content.some((part, i) => part !== this.#lastContent[i])) {
      this.#lastSnapshot = new StaticTrustSnapshot({ trusted, issuers, revocationLists: lists.flat() });
      this.#lastContent = content;
    }
    return this.#lastSnapshot;
  }

  reject(certificate: Certificate): void {
    this.#rejected.add(certificate);
  }

  /** Settles when the certificates refused so far are stored. */
  async flush(): Promise<void> {
    await this.#rejected.flush();
  }
}

/** All certificates of a file, DER or PEM, one or several. @throws UaStatusError `BadCertificateInvalid`. */
export function readCertificateFile(bytes: Buffer): Certificate[] {
  const parts = isPem(bytes) ? readPemBlocks(bytes.toString('latin1'), 'CERTIFICATE') : splitCertificateChain(bytes);
  return parts.map((part) => Certificate.parse(part));
}

function certificateFolder(path: string, maxFiles: number): WatchedFolder<Certificate> {
  return new WatchedFolder({
    path,
    extensions: CERTIFICATE_EXTENSIONS,
    parse: readCertificateFile,
    maxFiles,
    maxFileBytes: MAX_CERTIFICATE_FILE_BYTES,
    filesChangeInPlace: false,
  });
}

function revocationListFolder(path: string, maxFiles: number): WatchedFolder<CertificateRevocationList> {
  return new WatchedFolder({
    path,
    extensions: REVOCATION_LIST_EXTENSIONS,
    parse: (bytes) =>
      (isPem(bytes) ? readPemBlocks(bytes.toString('latin1'), 'X509 CRL') : [bytes]).map((der) => CertificateRevocationList.parse(der)),
    maxFiles,
    maxFileBytes: MAX_REVOCATION_LIST_BYTES,
    filesChangeInPlace: true,
  });
}
