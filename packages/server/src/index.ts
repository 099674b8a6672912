export type { ParkingCandidate, RequestParkingPolicy } from '@bulkhead/contracts';
export type { HttpsRateLimiterOptions } from '@bulkhead/transport-https';
export type { BandwidthOptions, DirectionRates } from './bandwidth/bandwidth-options.ts';
export type { RefusalEntry } from './isolation/refusal-log.ts';
export type { IsolationReport, OwnerReport, RetainedBytesReport, StageUsage } from './isolation/server-isolation.ts';
export { planServer } from './isolation.ts';
export type { NodeRuntime } from './node-runtime.ts';
export { createNodeRuntime, silentLogger } from './node-runtime.ts';
export { type AddNodes, OpcUaServer, type ServerCounts } from './opcua-server.ts';
export type { ServerRateLimiterProvider, ServerRateLimitOptions } from './rate-limits/rate-limit-options.ts';
export { resolveServerOptions } from './resolve-options.ts';
export {
  KiB,
  MiB,
  OptionsError,
  type PkiOptions,
  type ProxyProtocolOptions,
  type RequestSchedulingOptions,
  type ResolvedServerOptions,
  type ReverseConnectOptions,
  type SecurityOptions,
  type ServerOptions,
  type UserValidator,
} from './server-options.ts';
export type { HttpsSettings, SessionlessSettings } from './web/https-options.ts';
export type { WebPortSettings, WebSocketSettings } from './web/web-options.ts';
export { type ServerParts, stopParts, type WiringTaps, wireServer } from './wiring.ts';
