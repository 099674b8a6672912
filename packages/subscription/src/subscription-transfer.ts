import type { SessionContext } from '@bulkhead/contracts';
import { MessageSecurityMode, UserTokenType } from '@bulkhead/types';

/**
 * ClientValidated(): whether a Subscription of one Session may move to another. Both act for the same user; anonymous ones must
 * be the same application, on a signed channel if `anonymousNeedsSecurity`. OPC 10000-4 §5.14.7.1.
 */
export function mayTransfer(from: SessionContext, to: SessionContext, anonymousNeedsSecurity: boolean): boolean {
  if (from.identity.kind !== to.identity.kind || from.identity.name !== to.identity.name) return false;
  if (to.identity.kind !== UserTokenType.Anonymous) return to.identity.name !== undefined;
  if (from.clientApplicationUri !== to.clientApplicationUri) return false;
  const mode = to.channel.securityMode;
  return !anonymousNeedsSecurity || mode === MessageSecurityMode.Sign || mode === MessageSecurityMode.SignAndEncrypt;
}
