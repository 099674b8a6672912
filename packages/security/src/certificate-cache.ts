import { Certificate, sha1 } from './certificate.ts';

/** Parsed certificates by thumbprint, the least recently used dropped first: a client that comes again isn't parsed again. */
export class CertificateCache {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Certificate>();

  /** @param maxEntries certificates kept. Default 256. */
  constructor(maxEntries = 256) {
    this.#maxEntries = maxEntries;
  }

  /** Certificates held now. */
  get size(): number {
    return this.#entries.size;
  }

  /** The parsed certificate. @throws UaStatusError `BadCertificateInvalid`; failures aren't kept. */
  get(der: Uint8Array): Certificate {
    const key = sha1(der).toString('latin1');
    const known = this.#entries.get(key);
    if (known?.der.equals(der)) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known;
    }
    const certificate = Certificate.parse(der);
    this.#entries.set(key, certificate);
    if (this.#entries.size > this.#maxEntries) this.#entries.delete(this.#entries.keys().next().value as string);
    return certificate;
  }
}
