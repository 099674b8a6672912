import { createPrivateKey, createPublicKey, generateKeyPair } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createApplicationCertificate } from '@bulkhead/security';

const HOUR_MS = 3_600_000;
const VALIDITY_DAYS = 30;

/**
 * Makes an application instance certificate with its key, in the forms that one stack or the other wants.
 * @returns the paths, as config.json has them, and `der`.
 */
export async function makeClientIdentity(folder, name, applicationUri) {
  await mkdir(folder, { recursive: true });
  const pair = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const key = createPrivateKey(pair.privateKey);
  const der = await createApplicationCertificate(key, createPublicKey(pair.publicKey), {
    applicationUri,
    applicationName: `Interop ${name}`,
    hostNames: ['localhost', '127.0.0.1'],
    validityDays: VALIDITY_DAYS,
    notBeforeMs: Date.now() - HOUR_MS,
  });
  const paths = {
    certificateFile: join(folder, `${name}.der`),
    certificatePemFile: join(folder, `${name}.pem`),
    privateKeyFile: join(folder, `${name}.key.pem`),
    privateKeyDerFile: join(folder, `${name}.key.der`),
  };
  const base64 = der.toString('base64').replaceAll(/.{64}/gu, '$&\n').trim();
  await writeFile(paths.certificateFile, der);
  await writeFile(paths.certificatePemFile, `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`);
  await writeFile(paths.privateKeyFile, pair.privateKey, { mode: 0o600 });
  await writeFile(paths.privateKeyDerFile, key.export({ type: 'pkcs8', format: 'der' }), { mode: 0o600 });
  return { identity: { applicationUri, ...paths }, der };
}
