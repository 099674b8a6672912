import type { Invocation } from '../command-line.ts';
import { loadConfiguration } from '../configuration/load-configuration.ts';
import { findCertificate, type ListedCertificate, listCertificates, moveCertificate } from '../pki/certificate-folders.ts';
import { renewCertificate } from '../pki/renew-certificate.ts';
import { serverOptionsOf } from '../server-options.ts';

type PkiInvocation = Extract<Invocation, { command: 'pki' }>;

const DAY_MS = 86_400_000;

/**
 * Looks at and changes a PKI folder. A running server notices what is trusted from the next connection on.
 * @throws Error that says what isn't there
 */
export async function runPki({ action, flags, certificates, ofUsers }: PkiInvocation): Promise<void> {
  const { configuration } = await loadConfiguration({ flags, environment: process.env });
  const folder = configuration.pki;
  switch (action) {
    case 'list':
      console.log(certificateTable(await listCertificates(folder, ofUsers), Date.now()));
      return;
    case 'renew': {
      const { thumbprint, keptIn } = await renewCertificate(folder, serverOptionsOf(configuration));
      console.log(`${thumbprint} is the server's certificate from its next start on.`);
      if (keptIn !== undefined) console.log(`The old one and its key are in ${keptIn}.`);
      console.log('Clients that trust the old one have to trust this one too.');
      return;
    }
    case 'trust':
    case 'reject':
      for (const name of certificates) {
        const from = action === 'trust' ? 'rejected' : 'trusted';
        const found = await findCertificate(folder, ofUsers, from, name);
        const path = await moveCertificate(folder, ofUsers, found, action === 'trust' ? 'trusted' : 'rejected');
        console.log(`${found.certificate.thumbprint} (${found.certificate.subject.commonName}) is now ${path}`);
      }
  }
}

/** One line each, the newest first within a folder. */
function certificateTable(certificates: readonly ListedCertificate[], nowMs: number): string {
  if (certificates.length === 0) return 'No certificates.';
  const lines = certificates.map(({ place, certificate, fileName }) => [
    place,
    certificate?.thumbprint ?? '-',
    certificate === undefined ? 'cannot be read' : validity(certificate.notBeforeMs, certificate.notAfterMs, nowMs),
    certificate === undefined ? fileName : `${certificate.subject.commonName}  ${certificate.applicationUris.join(' ')}`.trim(),
  ]);
  const rows = [['folder', 'thumbprint', 'validity', 'name'], ...lines];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function validity(notBeforeMs: number, notAfterMs: number, nowMs: number): string {
  const until = new Date(notAfterMs).toISOString().slice(0, 10);
  if (nowMs > notAfterMs) return `expired ${until}`;
  if (nowMs < notBeforeMs) return `from ${new Date(notBeforeMs).toISOString().slice(0, 10)}`;
  return `until ${until} (${Math.floor((notAfterMs - nowMs) / DAY_MS)} days)`;
}
