import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { Certificate } from './certificate.ts';
import { canonicalHost, ExtendedKeyUsage, KeyUsage } from './certificate-extensions.ts';
import { buildCertificatePath, describe } from './certificate-path.ts';
import { checkRevocation } from './certificate-revocation.ts';
import type { SecurityPolicy } from './security-policy.ts';
import type { TrustList, TrustSnapshot } from './trust-list.ts';

/** How a `CertificateValidator` decides. */
export interface CertificateValidatorOptions {
  /** Accept application certificates nobody trusts. For labs only: it accepts no other fault, and stores nothing. Default false. */
  readonly autoAcceptUntrustedCertificates?: boolean;
  /** Refuse certificates whose issuer's revocation list is missing or out of date. Default true. */
  readonly requireRevocationLists?: boolean;
  /** How far the clocks may differ when validity periods are checked. Default 0. */
  readonly clockToleranceMs?: number;
}

/** What a certificate has to be good for. */
export interface ValidationRequest {
  /** An application instance certificate, or one that identifies a user. */
  readonly role: 'application' | 'user';
  /** Which side the application is on; its ExtendedKeyUsage is checked accordingly. Either will do if left out. */
  readonly applicationType?: 'client' | 'server' | undefined;
  /** The ApplicationUri of the peer's ApplicationDescription; not checked if left out (at OpenSecureChannel it isn't known yet). */
  readonly applicationUri?: string | undefined;
  /** Host names the peer was reached under (client role); one of them must be in the certificate. Not checked if left out. */
  readonly hostNames?: readonly string[] | undefined;
  /** The policy whose key sizes and signature algorithms apply; not checked if left out or None. */
  readonly policy?: SecurityPolicy | undefined;
  /** Time of the check, ms since 1970. */
  readonly nowMs: number;
}

/** A certificate that passed. */
export interface ValidatedCertificate {
  readonly certificate: Certificate;
  /** From the certificate itself up to the root. */
  readonly path: readonly Certificate[];
  /** True when nobody trusts it and only `autoAcceptUntrustedCertificates` let it in: worth a warning in the log. */
  readonly isAutoAccepted: boolean;
}

/**
 * Validates certificates step by step as OPC 10000-4 §6.1.3, Table 100 orders them; the first fault decides. The status codes are
 * precise, for logs and audit events; what an untrusted peer is told (`BadSecurityChecksFailed`) is the caller's business.
 */
export class CertificateValidator {
  readonly #trustList: TrustList;
  readonly #autoAccept: boolean;
  readonly #requireRevocationLists: boolean;
  readonly #clockToleranceMs: number;

  constructor(trustList: TrustList, options: CertificateValidatorOptions = {}) {
    this.#trustList = trustList;
    this.#autoAccept = options.autoAcceptUntrustedCertificates ?? false;
    this.#requireRevocationLists = options.requireRevocationLists ?? true;
    this.#clockToleranceMs = options.clockToleranceMs ?? 0;
  }

  /**
   * Validates the first of `sent`; the others may help to find its issuers. A refused certificate that isn't trusted goes to the
   * trust list's rejected ones.
   * @param sent the parsed certificates of one message, the peer's own first. See `parseCertificateChain`.
   * @throws UaStatusError (as a rejection) `BadCertificateInvalid`, `BadCertificateChainIncomplete`, `BadCertificatePolicyCheckFailed`,
   * `BadCertificateUntrusted`, `BadCertificateTimeInvalid`, `BadCertificateHostNameInvalid`, `BadCertificateUriInvalid`,
   * `BadCertificateUseNotAllowed`, `BadCertificateRevocationUnknown`, `BadCertificateRevoked`, and the `…Issuer…` forms of these.
   */
  async validate(sent: readonly Certificate[], request: ValidationRequest): Promise<ValidatedCertificate> {
    const certificate = sent[0];
    if (certificate === undefined) throw new UaStatusError(StatusCodes.BadCertificateInvalid, 'no certificate');
    const trust = await this.#trustList.snapshot();
    try {
      return this.#check(certificate, sent, trust, request);
    } catch (error) {
      if (!trust.isTrusted(certificate)) this.#trustList.reject(certificate);
      throw error;
    }
  }

  #check(certificate: Certificate, sent: readonly Certificate[], trust: TrustSnapshot, request: ValidationRequest): ValidatedCertificate {
    checkStructure(certificate);
    const path = buildCertificatePath(sent, trust);
    path.forEach(checkStructure);
    if (request.policy?.isSecure) checkPolicy(path, request.policy);
    const isTrusted = path.some((link) => trust.isTrusted(link));
    const isAutoAccepted = !isTrusted && this.#autoAccept && request.role === 'application';
    if (!isTrusted && !isAutoAccepted) throw fault(StatusCodes.BadCertificateUntrusted, certificate, 'is not trusted');
    checkValidity(path, request.nowMs, this.#clockToleranceMs);
    if (request.hostNames !== undefined) checkHostNames(certificate, request.hostNames);
    if (request.applicationUri !== undefined) checkApplicationUri(certificate, request.applicationUri);
    checkUsage(path, request);
    checkRevocation(path, trust, request.nowMs, this.#requireRevocationLists);
    return { certificate, path, isAutoAccepted };
  }
}

function checkStructure(certificate: Certificate): void {
  if (certificate.extensions.hasUnknownCritical)
    throw fault(StatusCodes.BadCertificateInvalid, certificate, 'has a critical extension that is not known');
}

/** The signature of a root proves nothing, so its hash isn't judged unless the certificate is its own root. */
function checkPolicy(path: readonly Certificate[], policy: SecurityPolicy): void {
  path.forEach((certificate, depth) => {
    const isRootAbove = depth > 0 && depth === path.length - 1;
    const hash = certificate.signatureHash;
    if (!isRootAbove && (hash === undefined || !policy.certificateSignatureHashes.includes(hash))) {
      throw fault(StatusCodes.BadCertificatePolicyCheckFailed, certificate, `is signed with ${hash ?? 'an unknown algorithm'}`);
    }
    if (depth === 0 && (certificate.keyKind !== 'rsa' || certificate.keySizeBits > policy.maxKeyBits)) {
      throw fault(StatusCodes.BadCertificatePolicyCheckFailed, certificate, `has a key that ${policy.name} doesn't allow`);
    }
    if (certificate.keyKind === 'rsa' && certificate.keySizeBits < policy.minKeyBits) {
      throw fault(StatusCodes.BadCertificatePolicyCheckFailed, certificate, `has a key of ${certificate.keySizeBits} bits`);
    }
  });
}

function checkValidity(path: readonly Certificate[], nowMs: number, toleranceMs: number): void {
  path.forEach((certificate, depth) => {
    const isTooEarly = nowMs + toleranceMs < certificate.notBeforeMs;
    if (!isTooEarly && nowMs - toleranceMs <= certificate.notAfterMs) return;
    const code = depth === 0 ? StatusCodes.BadCertificateTimeInvalid : StatusCodes.BadCertificateIssuerTimeInvalid;
    throw fault(code, certificate, isTooEarly ? 'is not valid yet' : 'has expired');
  });
}

function checkHostNames(certificate: Certificate, hostNames: readonly string[]): void {
  const { dnsNames, ipAddresses } = certificate.extensions;
  const certified = new Set([...dnsNames.map(canonicalHost), ...ipAddresses.map(canonicalHost)]);
  certified.delete(undefined);
  if (hostNames.some((host) => certified.has(canonicalHost(host)))) return;
  throw fault(StatusCodes.BadCertificateHostNameInvalid, certificate, 'names none of the hosts it was reached under');
}

function checkApplicationUri(certificate: Certificate, applicationUri: string): void {
  if (applicationUri !== '' && certificate.applicationUris.includes(applicationUri)) return;
  throw fault(StatusCodes.BadCertificateUriInvalid, certificate, "doesn't carry the ApplicationUri");
}

function checkUsage(path: readonly Certificate[], request: ValidationRequest): void {
  path.forEach((certificate, depth) => {
    const isAllowed = depth === 0 ? mayIdentify(certificate, request) : mayIssue(certificate, depth);
    if (isAllowed) return;
    const code = depth === 0 ? StatusCodes.BadCertificateUseNotAllowed : StatusCodes.BadCertificateIssuerUseNotAllowed;
    throw fault(code, certificate, 'is not made for this use');
  });
}

/**
 * digitalSignature and dataEncipherment are what the RSA policies really use; nonRepudiation and keyEncipherment, which
 * OPC 10000-6 §6.2.2 lists too, are missing in many certificates in the field and protect nothing here.
 */
function mayIdentify(certificate: Certificate, request: ValidationRequest): boolean {
  const { keyUsage, extendedKeyUsage } = certificate.extensions;
  const wanted = request.role === 'user' ? KeyUsage.DigitalSignature : KeyUsage.DigitalSignature | KeyUsage.DataEncipherment;
  if (keyUsage !== undefined && (keyUsage & wanted) !== wanted) return false;
  if (request.role === 'user' || extendedKeyUsage === undefined || extendedKeyUsage.includes(ExtendedKeyUsage.Any)) return true;
  const asClient = extendedKeyUsage.includes(ExtendedKeyUsage.ClientAuth);
  const asServer = extendedKeyUsage.includes(ExtendedKeyUsage.ServerAuth);
  if (request.applicationType === undefined) return asClient || asServer;
  return request.applicationType === 'client' ? asClient : asServer;
}

/** @param depth certificates below this one; the lowest isn't a CA and doesn't count for the path length. */
function mayIssue(certificate: Certificate, depth: number): boolean {
  const { isCa, keyUsage, pathLength } = certificate.extensions;
  if (!isCa || (keyUsage !== undefined && (keyUsage & KeyUsage.KeyCertSign) === 0)) return false;
  return pathLength === undefined || depth - 1 <= pathLength;
}

function fault(code: number, certificate: Certificate, what: string): UaStatusError {
  return new UaStatusError(code, `certificate ${describe(certificate)} ${what}`);
}
