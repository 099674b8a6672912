import type { SecurityPolicy } from './security-policy.ts';

/**
 * What Bulkhead needs of its private key. The key itself may be in a file, a hardware module or elsewhere;
 * no operation may block the event loop.
 */
export interface PrivateKeyOperations {
  /** Length of the RSA modulus in bytes: of signatures and of cipher blocks. */
  readonly keySizeBytes: number;

  /**
   * Signs `data` with the policy's asymmetric signature algorithm.
   * @throws UaStatusError (as a rejection) `BadSecurityChecksFailed`, or `BadServerTooBusy` when too many operations wait.
   */
  sign(policy: SecurityPolicy, data: Uint8Array): Promise<Buffer>;

  /**
   * Decrypts one or more RSA-OAEP blocks.
   * @throws UaStatusError (as a rejection) `BadSecurityChecksFailed` without saying why, or `BadServerTooBusy` when too many operations wait.
   */
  decrypt(policy: SecurityPolicy, data: Uint8Array): Promise<Buffer>;
}
