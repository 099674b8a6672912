export { type HttpsLimits, planHttpsLimits } from './https-limits.ts';
export { HTTPS_BINARY_PROFILE_URI, HTTPS_JSON_PROFILE_URI } from './https-profiles.ts';
export { HttpsTransport, type HttpsTransportOptions } from './https-transport.ts';
export { isOriginAllowed } from './port/origin.ts';
export { WebConnection } from './port/web-connection.ts';
export { type TlsIdentity, WebPort, type WebPortOptions } from './port/web-port.ts';
export { HttpsRateLimiter, type HttpsRateLimiterOptions } from './rate-limit/https-rate-limiter.ts';
