import type { Certificate } from './certificate.ts';
import type { CertificateRevocationList } from './certificate-revocation-list.ts';

/** What a trust list holds at one moment. OPC 10000-12 §7.8.2. */
export interface TrustSnapshot {
  /** Whether the certificate itself is in the list of trusted ones. */
  isTrusted(certificate: Certificate): boolean;
  /** Certificates, trusted and issuers alike, with this subject (`DistinguishedName.key`). */
  certificatesNamed(subjectKey: string): readonly Certificate[];
  /** Revocation lists of the issuer with this name (`DistinguishedName.key`). */
  revocationListsOf(issuerKey: string): readonly CertificateRevocationList[];
}

/** Where a `CertificateValidator` looks for trust. */
export interface TrustList {
  /** The present content; asked for once per validation, so that changes need no restart. */
  snapshot(): Promise<TrustSnapshot>;
  /** Remembers a certificate that was refused, so that an administrator can look at it and trust it. Doesn't wait, never fails. */
  reject(certificate: Certificate): void;
}

/** The parts of a trust list in memory. */
export interface TrustListContent {
  readonly trusted?: readonly Certificate[];
  readonly issuers?: readonly Certificate[];
  readonly revocationLists?: readonly CertificateRevocationList[];
}

/** A trust list that doesn't change. */
export class StaticTrustSnapshot implements TrustSnapshot {
  readonly #trusted = new Set<string>();
  readonly #bySubject = new Map<string, Certificate[]>();
  readonly #listsByIssuer = new Map<string, CertificateRevocationList[]>();

  constructor(content: TrustListContent) {
    for (const certificate of content.trusted ?? []) {
      this.#trusted.add(certificate.thumbprint);
      append(this.#bySubject, certificate.subject.key, certificate);
    }
    for (const certificate of content.issuers ?? []) append(this.#bySubject, certificate.subject.key, certificate);
    for (const list of content.revocationLists ?? []) append(this.#listsByIssuer, list.issuer.key, list);
  }

  isTrusted(certificate: Certificate): boolean {
    return this.#trusted.has(certificate.thumbprint);
  }

  certificatesNamed(subjectKey: string): readonly Certificate[] {
    return this.#bySubject.get(subjectKey) ?? [];
  }

  revocationListsOf(issuerKey: string): readonly CertificateRevocationList[] {
    return this.#listsByIssuer.get(issuerKey) ?? [];
  }
}

/** A trust list in memory, for applications that keep their trust elsewhere. Keeps no rejected certificates. */
export class MemoryTrustList implements TrustList {
  #snapshot: TrustSnapshot;

  constructor(content: TrustListContent = {}) {
    this.#snapshot = new StaticTrustSnapshot(content);
  }

  /** Replaces the content; validations that run go on with the old one. */
  replace(content: TrustListContent): void {
    this.#snapshot = new StaticTrustSnapshot(content);
  }

  snapshot(): Promise<TrustSnapshot> {
    return Promise.resolve(this.#snapshot);
  }

  reject(_certificate: Certificate): void {}
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
