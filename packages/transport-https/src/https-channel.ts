import type { RemoteAddress, SecureChannelContext, SessionContext } from '@bulkhead/contracts';
import { MessageSecurityMode } from '@bulkhead/types';

/** What an `HttpsChannel` is made of. */
export interface HttpsChannelSeed {
  readonly channelId: number;
  readonly transportProfileUri: string;
  readonly endpointUrl: string;
  readonly remote: RemoteAddress;
  readonly securityPolicyUri: string;
  readonly isSecure: boolean;
}

/**
 * Stands for the SecureChannel that HTTPS doesn't have. A Session has one for itself, which lasts as long as the Session, whatever
 * connections its requests come over; what needs no Session has one per connection. OPC 10000-6 §7.4.1.
 */
export class HttpsChannel implements SecureChannelContext {
  readonly channelId: number;
  readonly transportProfileUri: string;
  readonly endpointUrl: string;
  readonly remote: RemoteAddress;
  readonly securityPolicyUri: string;
  readonly securityMode: MessageSecurityMode;
  /** What CreateSession came with, once it is found to be trusted. */
  clientCertificate: Buffer | undefined = undefined;
  readonly serverCertificate: undefined = undefined;
  /** Whom requests without a Session act for; undefined where there are none. */
  sessionless: SessionContext | undefined = undefined;
  /** Key of the Session's AuthenticationToken, once there is one. */
  tokenKey: string | undefined = undefined;
  /** Requests that are not answered yet. */
  openRequests = 0;
  /** It closes with its last request. */
  isRetired = false;
  isOpen = true;

  constructor(seed: HttpsChannelSeed) {
    this.channelId = seed.channelId;
    this.transportProfileUri = seed.transportProfileUri;
    this.endpointUrl = seed.endpointUrl;
    this.remote = seed.remote;
    this.securityPolicyUri = seed.securityPolicyUri;
    this.securityMode = seed.isSecure ? MessageSecurityMode.Sign : MessageSecurityMode.None;
  }
}
