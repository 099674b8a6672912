import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { type Certificate, SecurityPolicies, type SecurityPolicy } from '@bulkhead/security';
import { MessageSecurityMode } from '@bulkhead/types';

/** How a SecureChannel is secured. */
export interface ChannelSecurity {
  readonly policy: SecurityPolicy;
  readonly mode: MessageSecurityMode;
  /** The client's certificate and key; needed unless the policy is None. */
  readonly identity?: ChannelIdentity | undefined;
  /** The server's certificate, validated; needed unless the policy is None, and for encrypted passwords there. */
  readonly serverCertificate?: Certificate | undefined;
  /** TLS encrypts what the channel doesn't. Default false. */
  readonly isTransportEncrypted?: boolean;
}

/** A channel without security: for discovery, and for servers that offer nothing else. */
export const UNSECURED: ChannelSecurity = Object.freeze({ policy: SecurityPolicies.None, mode: MessageSecurityMode.None });
