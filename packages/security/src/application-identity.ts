import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { type ApplicationCertificateOptions, createApplicationCertificate } from './application-certificate.ts';
import type { Certificate } from './certificate.ts';
import { readCertificateFile } from './folder-trust-list.ts';

/** Where the application's own certificate and key lie, and what they are made of if they don't exist yet. */
export interface ApplicationIdentityOptions extends Omit<ApplicationCertificateOptions, 'notBeforeMs'> {
  /** DER or PEM; may hold the whole chain, the application's own certificate first. */
  readonly certificateFile: string;
  /** PEM, not encrypted. */
  readonly privateKeyFile: string;
  /** Key size for a new key. Default 2048. */
  readonly keySizeBits?: 2048 | 3072 | 4096 | undefined;
  /** Present time, ms since 1970. */
  readonly nowMs: number;
}

/** The application's own certificate, the rest of its chain, and its key. */
export interface ApplicationIdentity {
  readonly certificate: Certificate;
  readonly chain: readonly Certificate[];
  readonly privateKey: KeyObject;
  /** True if the certificate was made just now. */
  readonly isNew: boolean;
  /** What an operator should know: an expired certificate, another ApplicationUri, a key others can read. */
  readonly warnings: readonly string[];
}

/** A new certificate is valid from an hour ago, for peers whose clock is behind. */
const BACKDATED_MS = 3_600_000;
const PRIVATE_MODE = 0o600;
const generateKeyPairAsync = promisify(generateKeyPair);

/**
 * Loads the application's certificate and key, or makes what is missing: both, or the certificate for a key that is there.
 * @throws UaStatusError `BadConfigurationError` if they don't belong together, can't be read, or the key is missing.
 */
export async function openApplicationIdentity(options: ApplicationIdentityOptions): Promise<ApplicationIdentity> {
  const { certificateFile, privateKeyFile } = options;
  const keyPem = await readIfPresent(privateKeyFile);
  let certificateBytes = await readIfPresent(certificateFile);
  if (keyPem === undefined && certificateBytes !== undefined) {
    throw configurationError(`${certificateFile} is there, but its private key ${privateKeyFile} is not`);
  }
  const privateKey = keyPem === undefined ? await createKey(privateKeyFile, options.keySizeBits ?? 2048) : loadKey(privateKeyFile, keyPem);
  const isNew = certificateBytes === undefined;
  if (certificateBytes === undefined) {
    const notBeforeMs = Math.floor((options.nowMs - BACKDATED_MS) / 1000) * 1000;
    certificateBytes = await createApplicationCertificate(privateKey, createPublicKey(privateKey), { ...options, notBeforeMs });
    await writeNewFile(certificateFile, certificateBytes, 0o644);
  }
  const chain = loadChain(certificateFile, certificateBytes);
  const certificate = chain[0] as Certificate;
  if (!certificate.publicKey.equals(createPublicKey(privateKey))) {
    throw configurationError(`the certificate ${certificateFile} and the private key ${privateKeyFile} do not belong together`);
  }
  return { certificate, chain, privateKey, isNew, warnings: await findWarnings(certificate, options) };
}

async function createKey(path: string, keySizeBits: number): Promise<KeyObject> {
  const { privateKey } = await generateKeyPairAsync('rsa', { modulusLength: keySizeBits });
  await writeNewFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), PRIVATE_MODE);
  return privateKey;
}

function loadKey(path: string, pem: Buffer): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch (cause) {
    throw configurationError(`the private key ${path} can't be read`, cause);
  }
  throw configurationError(`the private key ${path} is no RSA key`);
}

function loadChain(path: string, bytes: Buffer): Certificate[] {
  let chain: Certificate[];
  try {
    chain = readCertificateFile(bytes);
  } catch (cause) {
    throw configurationError(`the certificate ${path} can't be read`, cause);
  }
  if (chain.length === 0) throw configurationError(`${path} holds no certificate`);
  return chain;
}

async function findWarnings(certificate: Certificate, options: ApplicationIdentityOptions): Promise<string[]> {
  const warnings: string[] = [];
  if (!certificate.applicationUris.includes(options.applicationUri)) {
    warnings.push(
      `the certificate ${options.certificateFile} carries the ApplicationUri ${certificate.applicationUris[0] ?? '(none)'}, not ${options.applicationUri}: clients will refuse it`,
    );
  }
  if (options.nowMs > certificate.notAfterMs || options.nowMs < certificate.notBeforeMs) {
    warnings.push(
      `the certificate ${options.certificateFile} is valid from ${new Date(certificate.notBeforeMs).toISOString()} to ${new Date(certificate.notAfterMs).toISOString()} only`,
    );
  }
  const { mode } = await stat(options.privateKeyFile);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    warnings.push(`the private key ${options.privateKeyFile} can be read by others`);
  return warnings;
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw configurationError(`${path} can't be read`, cause);
  }
}

/** Never overwrites: another process may be starting in the same folder. */
async function writeNewFile(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode, flag: 'wx' });
  } catch (cause) {
    throw configurationError(`${path} can't be written`, cause);
  }
}

function configurationError(message: string, cause?: unknown): UaStatusError {
  return new UaStatusError(StatusCodes.BadConfigurationError, message, { cause });
}
