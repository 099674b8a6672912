export { isOriginAllowed } from './port/origin.ts';
export type { UpgradeHandler, UpgradeRequest } from './port/upgrades.ts';
export { WebConnection } from './port/web-connection.ts';
export { type TlsIdentity, WebPort, type WebPortOptions } from './port/web-port.ts';
