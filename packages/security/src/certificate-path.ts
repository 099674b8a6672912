import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { Certificate } from './certificate.ts';
import { MAX_CHAIN_LENGTH } from './certificate-chain.ts';
import type { TrustSnapshot } from './trust-list.ts';

/** Signature checks per chain: a made-up heap of certificates with one name can't cost more. */
const MAX_SIGNATURE_CHECKS = 20;

/**
 * Orders the certificates from the application's own up to the self-signed root, each signed by the next. Issuers come from the
 * trust list first, then from what the peer sent. OPC 10000-4 §6.1.3, steps "build certificate chain" and "signature".
 * @param sent what the peer sent, its own certificate first.
 * @throws UaStatusError `BadCertificateChainIncomplete` if an issuer isn't known, `BadCertificateInvalid` if a signature is wrong.
 */
export function buildCertificatePath(sent: readonly Certificate[], trust: TrustSnapshot): Certificate[] {
  let current = sent[0] as Certificate;
  const path = [current];
  let checks = 0;
  const isSignedBy = (issuer: Certificate): boolean => ++checks <= MAX_SIGNATURE_CHECKS && current.isSignedBy(issuer);

  while (true) {
    if (current.isSelfIssued && isSignedBy(current)) return path;
    const candidates = issuerCandidates(current, sent, trust).filter(
      (candidate) => !path.some((link) => link.thumbprint === candidate.thumbprint),
    );
    const issuer = candidates.find(isSignedBy);
    if (issuer === undefined) throw noIssuer(current, candidates.length > 0);
    if (path.length === MAX_CHAIN_LENGTH)
      throw new UaStatusError(StatusCodes.BadCertificateChainIncomplete, `no root within ${MAX_CHAIN_LENGTH} certificates`);
    path.push(issuer);
    current = issuer;
  }
}

function issuerCandidates(certificate: Certificate, sent: readonly Certificate[], trust: TrustSnapshot): Certificate[] {
  const name = certificate.issuer.key;
  const wantedKeyId = certificate.extensions.authorityKeyId;
  const named = [...trust.certificatesNamed(name), ...sent.filter((other) => other.subject.key === name)];
  return named.filter((candidate) => {
    const keyId = candidate.extensions.subjectKeyId;
    return wantedKeyId === undefined || keyId === undefined || wantedKeyId === keyId;
  });
}

function noIssuer(certificate: Certificate, hasCandidates: boolean): UaStatusError {
  if (hasCandidates || certificate.isSelfIssued) {
    return new UaStatusError(StatusCodes.BadCertificateInvalid, `the signature of ${describe(certificate)} is wrong`);
  }
  return new UaStatusError(
    StatusCodes.BadCertificateChainIncomplete,
    `the issuer of ${describe(certificate)} is not known: ${certificate.issuer.display}`,
  );
}

/** A certificate as log lines name it. */
export function describe(certificate: Certificate): string {
  return `"${certificate.subject.display}" [${certificate.thumbprint}]`;
}
