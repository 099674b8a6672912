import type { SecureChannelContext } from '@bulkhead/contracts';
import type { ServerSecureChannel } from '@bulkhead/secure-channel';

/** The server's end of a SecureChannel, as far as a connection drives it. */
export type ServerChannel = SecureChannelContext &
  Pick<
    ServerSecureChannel,
    'checkDeadlines' | 'dispose' | 'encodeMessage' | 'hasPartialMessage' | 'heldBytes' | 'nextDeadlineMs' | 'receive' | 'retainedBytes'
  >;
