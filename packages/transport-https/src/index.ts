export { HttpsChannel } from './https-channel.ts';
export { type HttpsLimits, planHttpsLimits } from './https-limits.ts';
export {
  HTTPS_BINARY_PROFILE_URI,
  HTTPS_JSON_PROFILE_URI,
  HTTPS_OPENAPI_PROFILE_URI,
  WSS_JSON_PROFILE_URI,
  WSS_OPENAPI_PROFILE_URI,
} from './https-profiles.ts';
export { HttpsTransport, type HttpsTransportOptions, type JsonOptions } from './https-transport.ts';
export { isOriginAllowed } from './port/origin.ts';
export { WebConnection } from './port/web-connection.ts';
export { type TlsIdentity, WebPort, type WebPortOptions } from './port/web-port.ts';
export { defaultHttpsRateLimits, HttpsRateLimiter, type HttpsRateLimiterOptions } from './rate-limit/https-rate-limiter.ts';
export type { Authorization } from './sessionless/authorization.ts';
export { planSessionlessLimits, type SessionlessLimits } from './sessionless/sessionless-budget.ts';
export type { SessionlessUsers } from './sessionless/sessionless-callers.ts';
export { SessionlessSession } from './sessionless/sessionless-session.ts';
