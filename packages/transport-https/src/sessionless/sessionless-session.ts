import type { SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import { NodeId } from '@bulkhead/types';

/** What services see in the place of a Session when a request has none: who asks, and in which languages. OPC 10000-4 §6.3. */
export class SessionlessSession implements SessionContext {
  readonly sessionId: NodeId = NodeId.NULL;
  readonly sessionName = 'session-less';
  readonly identity: UserIdentity;
  readonly localeIds: readonly string[];
  readonly channel: SecureChannelContext;
  readonly clientApplicationUri = '';
  readonly maxResponseMessageBytes = 0;

  constructor(channel: SecureChannelContext, identity: UserIdentity, localeIds: readonly string[]) {
    this.channel = channel;
    this.identity = identity;
    this.localeIds = localeIds;
  }

  get isActivated(): boolean {
    return this.channel.isOpen;
  }
}
