import type { ServiceHandler } from '@bulkhead/contracts';
import type { SubscriptionManager } from '@bulkhead/subscription';
import type * as ua from '@bulkhead/types';
import { requireSession } from './require-session.ts';

/** The Subscription Service Set. OPC 10000-4 §5.14. */
export interface SubscriptionServiceSet {
  readonly CreateSubscription: ServiceHandler<ua.CreateSubscriptionRequest, ua.CreateSubscriptionResponse>;
  readonly ModifySubscription: ServiceHandler<ua.ModifySubscriptionRequest, ua.ModifySubscriptionResponse>;
  readonly SetPublishingMode: ServiceHandler<ua.SetPublishingModeRequest, ua.SetPublishingModeResponse>;
  readonly Publish: ServiceHandler<ua.PublishRequest, ua.PublishResponse>;
  readonly Republish: ServiceHandler<ua.RepublishRequest, ua.RepublishResponse>;
  readonly TransferSubscriptions: ServiceHandler<ua.TransferSubscriptionsRequest, ua.TransferSubscriptionsResponse>;
  readonly DeleteSubscriptions: ServiceHandler<ua.DeleteSubscriptionsRequest, ua.DeleteSubscriptionsResponse>;
}

export function createSubscriptionServiceSet(manager: SubscriptionManager): SubscriptionServiceSet {
  return {
    CreateSubscription: (request, context) => manager.createSubscription(requireSession(context), request),
    ModifySubscription: (request, context) => manager.modifySubscription(requireSession(context), request),
    SetPublishingMode: (request, context) => manager.setPublishingMode(requireSession(context), request),
    Publish: (request, context) => manager.publish(requireSession(context), request, context.signal, () => context.notifyParked()),
    Republish: (request, context) => manager.republish(requireSession(context), request),
    TransferSubscriptions: (request, context) => manager.transferSubscriptions(requireSession(context), request),
    DeleteSubscriptions: (request, context) => manager.deleteSubscriptions(requireSession(context), request),
  };
}
