import type { Certificate, PrivateKeyOperations } from '@bulkhead/security';

/** An application's own certificate and what can be done with its key. */
export interface ChannelIdentity {
  /** The ApplicationInstanceCertificate. */
  readonly certificate: Certificate;
  /** It and its issuers, concatenated (DER): what the peer is sent. */
  readonly certificateChain: Buffer;
  readonly privateKey: PrivateKeyOperations;
}
