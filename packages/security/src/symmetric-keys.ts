import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { DerivedKeys } from './key-derivation.ts';
import type { SecurityPolicy } from './security-policy.ts';

/**
 * Chunk security of one direction under one SecurityToken: HMAC-SHA256 and AES-CBC with prepared keys.
 * Each chunk starts anew from the token's initialization vector. OPC 10000-6 §6.7.5.
 */
export class SymmetricKeys {
  /** Length of a signature in bytes. */
  readonly signatureBytes: number;
  /** Encrypted data is a multiple of this many bytes. */
  readonly blockBytes: number;
  readonly #cipher: 'aes-128-cbc' | 'aes-256-cbc';
  readonly #signingKey: KeyObject;
  readonly #encryptingKey: KeyObject;
  readonly #initializationVector: Buffer;

  /** @throws RangeError for SecurityPolicy None, which has no keys. */
  constructor(policy: SecurityPolicy, keys: DerivedKeys) {
    if (policy.symmetricCipher === 'none') throw new RangeError('SecurityPolicy None has no symmetric keys');
    this.signatureBytes = policy.symmetricSignatureBytes;
    this.blockBytes = policy.symmetricBlockBytes;
    this.#cipher = policy.symmetricCipher;
    this.#signingKey = createSecretKey(keys.signingKey);
    this.#encryptingKey = createSecretKey(keys.encryptingKey);
    this.#initializationVector = Buffer.from(keys.initializationVector);
  }

  /** The signature of `data` (all of the chunk before the signature, unencrypted). */
  sign(data: Uint8Array): Buffer {
    return createHmac('sha256', this.#signingKey).update(data).digest();
  }

  /** Writes the signature of `chunk[start, end)` at `chunk[end]`; the caller has left `signatureBytes` of room there. */
  signInPlace(chunk: Buffer, start: number, end: number): void {
    this.sign(chunk.subarray(start, end)).copy(chunk, end);
  }

  /** Whether `signature` is that of `data`, compared in constant time. */
  verify(data: Uint8Array, signature: Uint8Array): boolean {
    return signature.length === this.signatureBytes && timingSafeEqual(this.sign(data), signature);
  }

  /**
   * Encrypts `chunk[start, end)` in place.
   * @throws RangeError if the length is no multiple of `blockBytes`: the caller pads (a fault in the caller, not in the peer).
   */
  encryptInPlace(chunk: Buffer, start: number, end: number): void {
    if ((end - start) % this.blockBytes !== 0) throw new RangeError(`${end - start} bytes are no multiple of the block size`);
    const cipher = createCipheriv(this.#cipher, this.#encryptingKey, this.#initializationVector);
    cipher.setAutoPadding(false);
    cipher.update(chunk.subarray(start, end)).copy(chunk, start);
  }

  /**
   * The plain text of `data`, in a new buffer.
   * @throws UaStatusError `BadSecurityChecksFailed` if the length is no positive multiple of `blockBytes`.
   */
  decrypt(data: Uint8Array): Buffer {
    this.#checkLength(data.length);
    const decipher = createDecipheriv(this.#cipher, this.#encryptingKey, this.#initializationVector);
    decipher.setAutoPadding(false);
    return decipher.update(data);
  }

  /** Decrypts `chunk[start, end)` in place; errors as `decrypt`. */
  decryptInPlace(chunk: Buffer, start: number, end: number): void {
    this.decrypt(chunk.subarray(start, end)).copy(chunk, start);
  }

  #checkLength(length: number): void {
    if (length === 0 || length % this.blockBytes !== 0) {
      throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, `${length} encrypted bytes are no multiple of the block size`);
    }
  }
}
