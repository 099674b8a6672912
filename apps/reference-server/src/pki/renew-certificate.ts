import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CertificateStore } from '@bulkhead/security';
import { resolveServerOptions, type ServerOptions } from '@bulkhead/server';

/** The new certificate, and where the old one is kept; nowhere if there was none. */
export interface RenewedCertificate {
  readonly thumbprint: string;
  readonly keptIn: string | undefined;
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1'];
const files = [join('certs', 'application.der'), join('private', 'application.pem')] as const;

/**
 * Makes a new key and certificate for a server. Both are made before the old ones are touched.
 * @throws UaStatusError BadConfigurationError for folders that can't be written
 */
export async function renewCertificate(folder: string, options: ServerOptions): Promise<RenewedCertificate> {
  const { applicationName, applicationUri, hostNames } = resolveServerOptions({ ...options, security: { allowAnonymous: true } });
  const own = join(folder, 'own');
  await mkdir(own, { recursive: true });
  const made = await mkdtemp(join(own, 'renewal-'));
  try {
    const store = await CertificateStore.open({
      folder: made,
      applicationName,
      applicationUri,
      hostNames: [...new Set([...hostNames, ...LOOPBACK_NAMES])],
    });
    await store.close();
    const { thumbprint } = store.certificate;
    const keptIn = await keepOld(own, new Date().toISOString().replaceAll(/[:.]/gu, '-'));
    for (const file of files) await rename(join(made, 'own', file), join(own, file));
    return { thumbprint, keptIn };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function keepOld(own: string, name: string): Promise<string | undefined> {
  const kept = join(own, 'previous', name);
  let hasKept = false;
  for (const file of files) {
    await mkdir(join(own, file, '..'), { recursive: true, mode: 0o700 });
    await mkdir(join(kept, file, '..'), { recursive: true, mode: 0o700 });
    hasKept = (await moveIfThere(join(own, file), join(kept, file))) || hasKept;
  }
  if (hasKept) return kept;
  await rm(kept, { recursive: true });
  return undefined;
}

async function moveIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
