import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';

/**
 * A private key's own copies for one operation at a time. Handles of one key share a lock, which the event loop takes too when it
 * starts an operation: it would stand still while the thread pool uses the same key.
 */
export class KeyHandles {
  readonly signingKey: KeyObject;
  readonly #der: Buffer;
  #sha1Key: Promise<webcrypto.CryptoKey> | undefined;
  #sha256Key: Promise<webcrypto.CryptoKey> | undefined;

  /** @param der PKCS#8, kept by the caller as long as this object lives. */
  constructor(der: Buffer) {
    this.signingKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.#der = der;
  }

  decryptionKey(hash: 'sha1' | 'sha256'): Promise<webcrypto.CryptoKey> {
    if (hash === 'sha1') {
      this.#sha1Key ??= this.#import('SHA-1');
      return this.#sha1Key;
    }
    this.#sha256Key ??= this.#import('SHA-256');
    return this.#sha256Key;
  }

  #import(hash: string): Promise<webcrypto.CryptoKey> {
    return webcrypto.subtle.importKey('pkcs8', this.#der, { name: 'RSA-OAEP', hash }, false, ['decrypt']);
  }
}
