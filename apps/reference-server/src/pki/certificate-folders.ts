import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Certificate, readCertificateFile } from '@bulkhead/security';

/** Where a certificate lies; `file` is outside of the PKI folder. */
export type CertificatePlace = 'own' | 'trusted' | 'issuers' | 'rejected' | 'file';

/** A file in a PKI folder. */
export interface ListedCertificate {
  readonly place: CertificatePlace;
  readonly path: string;
  readonly fileName: string;
  /** Undefined for a file that holds none. */
  readonly certificate: Certificate | undefined;
}

/** One that is there for sure. */
export interface FoundCertificate extends ListedCertificate {
  readonly certificate: Certificate;
}

const MAX_FILE_BYTES = 1024 * 1024;
/** Thumbprints are told apart by fewer, but not by the whim of one digit. */
const MIN_THUMBPRINT_DIGITS = 4;

const folders: Readonly<Record<Exclude<CertificatePlace, 'file'>, string>> = {
  own: 'own/certs',
  trusted: 'trusted/certs',
  issuers: 'issuers/certs',
  rejected: 'rejected',
};

/** All certificates of a PKI folder, or of its part for users. */
export async function listCertificates(folder: string, ofUsers: boolean): Promise<readonly ListedCertificate[]> {
  const places = (['own', 'trusted', 'issuers', 'rejected'] as const).filter((place) => place !== 'own' || !ofUsers);
  const lists = await Promise.all(places.map((place) => listPlace(folder, ofUsers, place)));
  return lists.flat();
}

/**
 * Finds a certificate by its thumbprint, the beginning of it, or a file.
 * @throws Error that says what is there instead
 */
export async function findCertificate(
  folder: string,
  ofUsers: boolean,
  place: 'trusted' | 'rejected',
  name: string,
): Promise<FoundCertificate> {
  const digits = name.replaceAll(/[\s:]/gu, '').toUpperCase();
  const listed = await listPlace(folder, ofUsers, place);
  if (digits.length >= MIN_THUMBPRINT_DIGITS && /^[\dA-F]+$/u.test(digits)) {
    const matches = listed.filter(({ certificate }) => certificate?.thumbprint.toUpperCase().startsWith(digits));
    const [match] = matches;
    if (matches.length > 1) throw new Error(`${name}: ${matches.length} certificates in ${place} begin so`);
    if (match?.certificate !== undefined) return match as FoundCertificate;
  }
  const file = await readListed('file', name);
  if (file?.certificate !== undefined && place === 'rejected') return file as FoundCertificate;
  if (file !== undefined && place === 'rejected') throw new Error(`${name}: the file has no certificate`);
  throw new Error(
    `${name}: neither the thumbprint of a certificate in ${place}, at least its first ${MIN_THUMBPRINT_DIGITS} digits${place === 'rejected' ? ', nor a file' : ''}`,
  );
}

/** Puts a certificate into another folder; a file from outside is copied. @returns where it is now */
export async function moveCertificate(
  folder: string,
  ofUsers: boolean,
  { place, path, fileName, certificate }: FoundCertificate,
  to: 'trusted' | 'rejected',
): Promise<string> {
  const target = placeFolder(folder, ofUsers, to);
  await mkdir(target, { recursive: true });
  const targetPath = join(target, place === 'file' ? `${safeName(certificate)} [${certificate.thumbprint}].der` : fileName);
  if (place !== 'file') {
    await rename(path, targetPath);
    return targetPath;
  }
  // Never half a file where a running server looks.
  const unfinished = `${targetPath}.tmp`;
  await writeFile(unfinished, certificate.der);
  await rename(unfinished, targetPath);
  for (const listed of await listPlace(folder, ofUsers, 'rejected')) {
    if (listed.certificate?.thumbprint === certificate.thumbprint) await rm(listed.path);
  }
  return targetPath;
}

function placeFolder(folder: string, ofUsers: boolean, place: Exclude<CertificatePlace, 'file'>): string {
  return join(folder, ofUsers ? 'users' : '', folders[place]);
}

async function listPlace(folder: string, ofUsers: boolean, place: Exclude<CertificatePlace, 'file'>): Promise<ListedCertificate[]> {
  const path = placeFolder(folder, ofUsers, place);
  const names: string[] = await readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = await Promise.all(names.toSorted().map((name) => readListed(place, join(path, name))));
  return files.filter((file) => file !== undefined);
}

/** @returns undefined where there is no file. */
async function readListed(place: CertificatePlace, path: string): Promise<ListedCertificate | undefined> {
  const status = await stat(path).catch(() => undefined);
  if (status?.isFile() !== true) return undefined;
  return { place, path, fileName: basename(path), certificate: status.size > MAX_FILE_BYTES ? undefined : await readCertificate(path) };
}

async function readCertificate(path: string): Promise<Certificate | undefined> {
  try {
    return readCertificateFile(await readFile(path))[0];
  } catch {
    return undefined;
  }
}

function safeName({ subject }: Certificate): string {
  return (
    subject.commonName
      .replaceAll(/[^A-Za-z0-9 ._@-]+/gu, '_')
      .replace(/^[ .]+/u, '')
      .slice(0, 64) || 'unnamed'
  );
}
