import type { Certificate, CertificateCache, SecurityPolicy } from '@bulkhead/security';
import type { MessageSecurityMode } from '@bulkhead/types';
import type { ChannelIdentity } from './channel-identity.ts';

/** What a server offers to those who open a SecureChannel. */
export interface SecureChannelEndpoints {
  /** Modes offered with this policy; empty: the policy is not offered. */
  securityModes(policy: SecurityPolicy): readonly MessageSecurityMode[];
  /** Certificate and key for this policy; undefined for None and for policies that are not offered. */
  identity(policy: SecurityPolicy): ChannelIdentity | undefined;
  /**
   * Decides whether a client is trusted. Called when a channel is opened and again at each renewal.
   * @param chain the client's certificate and what it sent of its issuers.
   * @throws UaStatusError (as a rejection) with the precise BadCertificate… code.
   */
  validateClientCertificate(chain: readonly Certificate[], policy: SecurityPolicy): Promise<void>;
  /** Spares parsing the certificates of clients that come again. */
  readonly certificateCache?: CertificateCache | undefined;
}
