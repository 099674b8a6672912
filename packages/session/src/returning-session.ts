import type { SecureChannelContext } from '@bulkhead/contracts';
import { leafOf } from './client-certificate.ts';
import type { Session } from './session.ts';

/** Whether two channels are secured alike. */
export function isSecuredAlike(a: SecureChannelContext, b: SecureChannelContext): boolean {
  return a.securityPolicyUri === b.securityPolicyUri && a.securityMode === b.securityMode;
}

/** Whether the application at the other end of `channel` is the one that the Session was created for. */
export function isClientOf(session: Session, channel: SecureChannelContext): boolean {
  const known = session.seed.clientCertificate;
  if (known === undefined) return true;
  return channel.clientCertificate !== undefined && known.der.equals(leafOf(channel.clientCertificate));
}

/** Whether an activated Session that is bound to another channel may move to this one. OPC 10000-4 §5.7.3.1. */
export function mayReturn(session: Session, channel: SecureChannelContext): boolean {
  return session.isActivated && session.channel !== channel && isSecuredAlike(session.channel, channel) && isClientOf(session, channel);
}
