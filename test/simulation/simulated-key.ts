import type { Timers } from '@bulkhead/contracts';
import { type PrivateKeyOperations, SecurityPolicies } from '@bulkhead/security';
import type { SeededRandom } from '@bulkhead/testkit';
import { StatusCodes, UaStatusError } from '@bulkhead/types';

const KEY_SIZE_BYTES = 256;
const LENGTH_BYTES = 4;
/** One in so many operations fails. */
const FAILURES = 12;

/** A private key without cryptography: it decrypts what is no secret, after some virtual time. */
export class SimulatedKey implements PrivateKeyOperations {
  readonly keySizeBytes = KEY_SIZE_BYTES;
  readonly #timers: Timers;
  readonly #random: SeededRandom;
  readonly #slowMs: number;

  constructor(timers: Timers, random: SeededRandom, slowMs: number) {
    this.#timers = timers;
    this.#random = random;
    this.#slowMs = slowMs;
  }

  sign(): Promise<Buffer> {
    return Promise.reject(new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'nothing is signed here'));
  }

  decrypt(_policy: unknown, data: Uint8Array): Promise<Buffer> {
    const isFailing = this.#random.nextInt(FAILURES) === 0;
    return new Promise((resolve, reject) => {
      this.#timers.after(this.#random.nextInt(this.#slowMs + 1), () => {
        if (isFailing) reject(new UaStatusError(StatusCodes.BadServerTooBusy, 'too many operations wait'));
        else resolve(Buffer.from(data));
      });
    });
  }
}

/** A password as `SimulatedKey` decrypts it. OPC 10000-4 §7.40.2.2. */
export function passwordSecret(password: string, nonce: Uint8Array): { encryptionAlgorithm: string; password: Buffer } {
  const bytes = Buffer.from(password);
  const plain = Buffer.alloc(LENGTH_BYTES + bytes.length + nonce.length);
  plain.writeUInt32LE(bytes.length + nonce.length, 0);
  plain.set(bytes, LENGTH_BYTES);
  plain.set(nonce, LENGTH_BYTES + bytes.length);
  return { encryptionAlgorithm: SecurityPolicies.Basic256Sha256.asymmetricEncryptionUri, password: plain };
}
