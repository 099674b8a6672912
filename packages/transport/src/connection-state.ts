import type { MessageType } from '@bulkhead/uacp';

/** From the first byte to the end of the transport. */
export type ConnectionState = 'awaitingHello' | 'awaitingOpen' | 'open' | 'closing' | 'closed';

/** Whether a peer may send such a message now. An ERR it may send at any time. OPC 10000-6 §6.7, §7.1.3. */
export function isExpected(type: MessageType, state: ConnectionState): boolean {
  switch (state) {
    case 'awaitingHello':
      return type === 'HEL';
    case 'awaitingOpen':
      return type === 'OPN';
    case 'open':
      return type === 'MSG' || type === 'OPN' || type === 'CLO';
    default:
      return false;
  }
}
