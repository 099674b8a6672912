import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { Certificate } from './certificate.ts';
import { describe } from './certificate-path.ts';
import type { CertificateRevocationList } from './certificate-revocation-list.ts';
import type { TrustSnapshot } from './trust-list.ts';

/** Revocation lists looked at per issuer. */
const MAX_LISTS_PER_ISSUER = 16;

/**
 * The last two steps of OPC 10000-4 §6.1.3, Table 100: "find revocation list" for the whole path, then "revocation check".
 * The newest list of an issuer counts. A self-signed certificate has no issuer above it and is not looked up.
 * @throws UaStatusError `BadCertificateRevocationUnknown`, `BadCertificateRevoked` or the `…Issuer…` forms.
 */
export function checkRevocation(path: readonly Certificate[], trust: TrustSnapshot, nowMs: number, requireLists: boolean): void {
  const lists = path.slice(0, -1).map((_, depth) => newestList(path[depth + 1] as Certificate, trust));
  if (requireLists) {
    lists.forEach((list, depth) => {
      if (list !== undefined && !isOutOfDate(list, nowMs)) return;
      const code = depth === 0 ? StatusCodes.BadCertificateRevocationUnknown : StatusCodes.BadCertificateIssuerRevocationUnknown;
      const issuer = describe(path[depth + 1] as Certificate);
      throw new UaStatusError(code, `the revocation list of ${issuer} is ${list === undefined ? 'missing' : 'out of date'}`);
    });
  }
  lists.forEach((list, depth) => {
    const certificate = path[depth] as Certificate;
    if (list === undefined || !list.revokes(certificate)) return;
    const code = depth === 0 ? StatusCodes.BadCertificateRevoked : StatusCodes.BadCertificateIssuerRevoked;
    throw new UaStatusError(code, `certificate ${describe(certificate)} is revoked`);
  });
}

function newestList(issuer: Certificate, trust: TrustSnapshot): CertificateRevocationList | undefined {
  let newest: CertificateRevocationList | undefined;
  for (const list of trust.revocationListsOf(issuer.subject.key).slice(0, MAX_LISTS_PER_ISSUER)) {
    if (newest !== undefined && list.thisUpdateMs <= newest.thisUpdateMs) continue;
    if (list.isIssuedBy(issuer)) newest = list;
  }
  return newest;
}

function isOutOfDate(list: CertificateRevocationList, nowMs: number): boolean {
  return list.nextUpdateMs !== undefined && list.nextUpdateMs < nowMs;
}
