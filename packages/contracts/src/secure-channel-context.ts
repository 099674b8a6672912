import type { MessageSecurityMode } from '@bulkhead/types';

/** The other side of a connection, as the operating system (or a trusted proxy) reports it. */
export interface RemoteAddress {
  /** IPv4 or IPv6 text, IPv4-mapped addresses folded to IPv4. */
  readonly address: string;
  readonly port: number;
}

/** What services may know about the SecureChannel that carried a request. */
export interface SecureChannelContext {
  /** SecureChannelId, unique in this server while the channel lives; never 0. */
  readonly channelId: number;
  readonly transportProfileUri: string;
  /** EndpointUrl of the client's Hello. */
  readonly endpointUrl: string;
  readonly remote: RemoteAddress;
  readonly securityPolicyUri: string;
  readonly securityMode: MessageSecurityMode;
  /** The client's certificate chain as sent (DER); undefined with SecurityPolicy None. */
  readonly clientCertificate: Buffer | undefined;
  /** The certificate this server used for the channel (DER); undefined with SecurityPolicy None. */
  readonly serverCertificate: Buffer | undefined;
  readonly isOpen: boolean;
}
