export { type Backoff, ExponentialBackoff, type ExponentialBackoffOptions } from './backoff.ts';
export {
  BandwidthThrottle,
  type BandwidthThrottleOptions,
  type ByteRate,
  type ConnectionThrottle,
  stackThrottles,
  type Throttle,
  ThrottleStack,
} from './bandwidth-throttle.ts';
export { type ClientIpKeyOptions, type ClientIpSource, clientIpKey, UNKNOWN_CLIENT_KEY } from './client-ip-key.ts';
export { either, optional, PolicyMap, type PolicyRule } from './compose.ts';
export { ConcurrentPolicy, type ConcurrentPolicyOptions } from './concurrent-policy.ts';
export { type Held, IdleTable, type IdleTableOptions } from './idle-table.ts';
export { type IpAddress, ipAddressKey, parseIpAddress } from './ip-address.ts';
export { IpNetwork } from './ip-network.ts';
export { type HeldThrottle, KeyedBandwidthThrottle, type KeyedBandwidthThrottleOptions } from './keyed-bandwidth-throttle.ts';
export { DEFAULT_MAX_KEYS, KeyedRatePolicy, type KeyedRatePolicyOptions } from './keyed-rate-policy.ts';
export { ConcurrencyReached, RateLimitReached, type RateLimitReason } from './limit-errors.ts';
export type { Pacer } from './pacer.ts';
export { type Abort, type Decision, type Guard, type Policy, READY, type Ready, type Retry, UNLIMITED } from './policy.ts';
export { PolicyStack } from './policy-stack.ts';
export { perMinute, perSecond, type Rate } from './rate.ts';
export { type OverRate, RatePolicy, type RatePolicyOptions } from './rate-policy.ts';
export { type ConnectionClass, ReservedTokenBuckets, type ReservedTokenBucketsOptions } from './reserved-token-buckets.ts';
export { type Acquisition, type Granted, type Never, type RetryAt, TokenBucket } from './token-bucket.ts';
