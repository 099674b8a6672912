import type { Owner, ProtectedWork } from '@bulkhead/resource-isolation';
import type { SecureChannelContext } from './secure-channel-context.ts';
import type { SessionContext } from './session-context.ts';

/** Says whom to charge for what comes over a channel, from all that is verified now: channel, certificate, Session, user. */
export interface CallerOwners {
  /**
   * @param session counts only while it is activated and bound to this channel; undefined for what comes outside of any Session.
   * With work 'Reconnect' one that is activated on another channel vouches for the work, though its user counts for nothing here:
   * whoever asks has made sure that it may move to this channel.
   * @param work what the request is for; counts only with such a Session.
   */
  ownerOf(channel: SecureChannelContext, session: SessionContext | undefined, work?: ProtectedWork): Owner;
  /** Nothing comes over the channel any more; what is kept of its callers goes. Idempotent. */
  channelClosed(channel: SecureChannelContext): void;
}
