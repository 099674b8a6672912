import type { SessionContext } from '@bulkhead/contracts';
import { MessageSecurityMode, type StatusCode, StatusCodes, UserTokenType } from '@bulkhead/types';
import type { SubscriptionLimits } from './limits.ts';
import type { OwnerShare } from './owner-share.ts';
import type { Subscription } from './subscription.ts';

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

/** Why another owner can't take the Subscription over; undefined when it can. @param share undefined while it has none. */
export function refusalToMove(
  subscription: Subscription,
  share: OwnerShare | undefined,
  limits: SubscriptionLimits,
): StatusCode | undefined {
  if ((share?.subscriptionCount ?? 0) >= limits.maxSubscriptionsPerOwner) return StatusCodes.BadTooManySubscriptions;
  const itemCount = (share?.itemCount ?? 0) + subscription.items.size;
  return itemCount > limits.maxMonitoredItemsPerOwner ? StatusCodes.BadTooManyMonitoredItems : undefined;
}

/** Everything of the Subscription counts for another owner from now on. */
export function moveShare(subscription: Subscription, share: OwnerShare): void {
  const previous = subscription.share;
  for (const { samplesPerSecond } of subscription.items.values()) {
    previous.itemCount--;
    previous.samplesPerSecond -= samplesPerSecond;
    share.itemCount++;
    share.samplesPerSecond += samplesPerSecond;
  }
  subscription.moveToShare(share);
}
