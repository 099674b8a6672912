import { generateKeyPairSync } from 'node:crypto';
import { createApplicationCertificate } from '@bulkhead/security';
import type { TlsIdentity } from '../src/index.ts';

/** A key and a certificate of its own for `localhost` and `127.0.0.1`. */
export async function makeTlsIdentity(applicationName = 'web'): Promise<TlsIdentity> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const der = await createApplicationCertificate(privateKey, publicKey, {
    applicationUri: `urn:localhost:${applicationName}`,
    applicationName,
    hostNames: ['localhost', '127.0.0.1'],
    notBeforeMs: Date.now() - 60_000,
  });
  const body = der.toString('base64').replaceAll(/.{1,64}/gu, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
