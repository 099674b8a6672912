import { type KeyObject, sign, webcrypto } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { StatusCodes, UaStatusError } from '@bulkhead/types';
import { BoundedTaskQueue } from './bounded-task-queue.ts';
import { KeyHandles } from './key-handles.ts';
import type { PrivateKeyOperations } from './private-key-operations.ts';
import { rsaKeyBytes, signatureParameters } from './public-key-operations.ts';
import type { SecurityPolicy } from './security-policy.ts';

/** Bounds of a `LocalPrivateKey`. */
export interface LocalPrivateKeyOptions {
  /** Operations in the thread pool at a time. Default: one processor is left to the event loop; 4, the pool's size, at most. */
  readonly maxActive?: number;
  /** Operations that may wait; one more is refused with `BadServerTooBusy`. Default 64. */
  readonly maxWaiting?: number;
}

/** Longest cipher text taken, in RSA blocks: an OpenSecureChannel chunk needs 2 … 4. */
const MAX_BLOCKS = 16;
const THREAD_POOL_SIZE = 4;

/** A private key held by this process. Signing and decrypting run in the thread pool, off the event loop. */
export class LocalPrivateKey implements PrivateKeyOperations {
  readonly keySizeBytes: number;
  readonly #queue: BoundedTaskQueue;
  /** Of operations that don't run: as many as may run, made when they are first needed. */
  readonly #idle: KeyHandles[] = [];
  readonly #der: Buffer;

  /** @throws RangeError if `key` is no RSA private key. */
  constructor(key: KeyObject, options: LocalPrivateKeyOptions = {}) {
    if (key.type !== 'private' || key.asymmetricKeyType !== 'rsa') throw new RangeError('not an RSA private key');
    this.keySizeBytes = rsaKeyBytes(key);
    this.#der = key.export({ type: 'pkcs8', format: 'der' });
    const maxActive = options.maxActive ?? Math.min(Math.max(1, availableParallelism() - 1), THREAD_POOL_SIZE);
    this.#queue = new BoundedTaskQueue(maxActive, options.maxWaiting ?? 64);
  }

  /** Operations running or waiting. */
  get pendingOperations(): number {
    return this.#queue.active + this.#queue.waiting;
  }

  async sign(policy: SecurityPolicy, data: Uint8Array): Promise<Buffer> {
    if (!policy.isSecure) throw failure('SecurityPolicy None signs nothing');
    return this.#run(({ signingKey }) => signOffLoop(signingKey, policy, data));
  }

  async decrypt(policy: SecurityPolicy, data: Uint8Array): Promise<Buffer> {
    const hash = policy.oaepHash;
    const blocks = data.length / this.keySizeBytes;
    if (hash === undefined || !Number.isInteger(blocks) || blocks < 1 || blocks > MAX_BLOCKS) throw failure('decryption failed');
    return this.#run(async (handles) => decryptBlocks(await handles.decryptionKey(hash), data, this.keySizeBytes));
  }

  #run<T>(operation: (handles: KeyHandles) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      const handles = this.#idle.pop() ?? new KeyHandles(this.#der);
      try {
        return await operation(handles);
      } finally {
        this.#idle.push(handles);
      }
    });
  }
}

/** One block after the other, as one key serves one at a time; all of them, so that it takes as long whichever of them is bad. */
async function decryptBlocks(key: webcrypto.CryptoKey, data: Uint8Array, blockBytes: number): Promise<Buffer> {
  const plain: Buffer[] = [];
  let isBad = false;
  for (let offset = 0; offset < data.length; offset += blockBytes) {
    try {
      plain.push(Buffer.from(await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, key, data.subarray(offset, offset + blockBytes))));
    } catch {
      isBad = true;
    }
  }
  if (isBad) throw failure('decryption failed');
  return plain.length === 1 ? (plain[0] as Buffer) : Buffer.concat(plain);
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
