import { type KeyObject, sign, webcrypto } from 'node:crypto';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { BoundedTaskQueue } from './bounded-task-queue.ts';
import type { PrivateKeyOperations } from './private-key-operations.ts';
import { rsaKeyBytes, signatureParameters } from './public-key-operations.ts';
import type { SecurityPolicy } from './security-policy.ts';

/** Bounds of a `LocalPrivateKey`. */
export interface LocalPrivateKeyOptions {
  /** Operations in the thread pool at a time. Default 4, the pool's size. */
  readonly maxActive?: number;
  /** Operations that may wait; one more is refused with `BadServerTooBusy`. Default 64. */
  readonly maxWaiting?: number;
  /** Copies of the key used in turn for decryption: Node 20 runs one decryption per key handle at a time. Default 4. */
  readonly keyCopies?: number;
}

type DecryptionKeys = readonly webcrypto.CryptoKey[];

/** Longest cipher text taken, in RSA blocks: an OpenSecureChannel chunk needs 2 … 4. */
const MAX_BLOCKS = 16;

/** A private key held by this process. Signing and decrypting run in the thread pool, off the event loop. */
export class LocalPrivateKey implements PrivateKeyOperations {
  readonly keySizeBytes: number;
  readonly #key: KeyObject;
  readonly #keyCopies: number;
  readonly #queue: BoundedTaskQueue;
  #sha1Keys: Promise<DecryptionKeys> | undefined;
  #sha256Keys: Promise<DecryptionKeys> | undefined;
  #turn = 0;

  /** @throws RangeError if `key` is no RSA private key. */
  constructor(key: KeyObject, options: LocalPrivateKeyOptions = {}) {
    if (key.type !== 'private' || key.asymmetricKeyType !== 'rsa') throw new RangeError('not an RSA private key');
    this.keySizeBytes = rsaKeyBytes(key);
    this.#key = key;
    this.#keyCopies = options.keyCopies ?? 4;
    this.#queue = new BoundedTaskQueue(options.maxActive ?? 4, options.maxWaiting ?? 64);
  }

  /** Operations running or waiting. */
  get pendingOperations(): number {
    return this.#queue.active + this.#queue.waiting;
  }

  async sign(policy: SecurityPolicy, data: Uint8Array): Promise<Buffer> {
    if (!policy.isSecure) throw failure('SecurityPolicy None signs nothing');
    return this.#queue.run(() => signOffLoop(this.#key, policy, data));
  }

  async decrypt(policy: SecurityPolicy, data: Uint8Array): Promise<Buffer> {
    const hash = policy.oaepHash;
    const blocks = data.length / this.keySizeBytes;
    if (hash === undefined || !Number.isInteger(blocks) || blocks < 1 || blocks > MAX_BLOCKS) throw failure('decryption failed');
    return this.#queue.run(() => this.#decryptBlocks(hash, data));
  }

  async #decryptBlocks(hash: 'sha1' | 'sha256', data: Uint8Array): Promise<Buffer> {
    const keys = await this.#decryptionKeys(hash);
    const pending: Promise<ArrayBuffer>[] = [];
    for (let offset = 0; offset < data.length; offset += this.keySizeBytes) {
      const key = keys[this.#turn++ % keys.length] as webcrypto.CryptoKey;
      pending.push(webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, key, data.subarray(offset, offset + this.keySizeBytes)));
    }
    // All blocks are waited for, so that the answer takes as long whichever of them is bad.
    const plain: Buffer[] = [];
    for (const block of await Promise.allSettled(pending)) {
      if (block.status === 'fulfilled') plain.push(Buffer.from(block.value));
    }
    if (plain.length !== pending.length) throw failure('decryption failed');
    return plain.length === 1 ? (plain[0] as Buffer) : Buffer.concat(plain);
  }

  #decryptionKeys(hash: 'sha1' | 'sha256'): Promise<DecryptionKeys> {
    if (hash === 'sha1') {
      this.#sha1Keys ??= importCopies(this.#key, 'SHA-1', this.#keyCopies);
      return this.#sha1Keys;
    }
    this.#sha256Keys ??= importCopies(this.#key, 'SHA-256', this.#keyCopies);
    return this.#sha256Keys;
  }
}

function importCopies(key: KeyObject, hash: string, copies: number): Promise<DecryptionKeys> {
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const imports = Array.from({ length: copies }, () =>
    webcrypto.subtle.importKey('pkcs8', der, { name: 'RSA-OAEP', hash }, false, ['decrypt']),
  );
  return Promise.all(imports).finally(() => der.fill(0));
}

function signOffLoop(key: KeyObject, policy: SecurityPolicy, data: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign('sha256', data, { key, ...signatureParameters(policy) }, (error, signature) => {
      if (error === null) resolve(signature);
      else reject(failure('signing failed', error));
    });
  });
}

function failure(message: string, cause?: unknown): UaStatusError {
  return new UaStatusError(StatusCodes.BadSecurityChecksFailed, message, { cause });
}
