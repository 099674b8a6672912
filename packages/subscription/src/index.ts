export { createSubscriptionLimits, defaultSubscriptionLimits, type SubscriptionLimits } from './limits.ts';
export type { Body } from './monitored-item-services.ts';
export type { PublishBody } from './publish-queue.ts';
export { type HeldValues, SubscriptionManager, type SubscriptionManagerOptions, type SubscriptionTotals } from './subscription-manager.ts';
