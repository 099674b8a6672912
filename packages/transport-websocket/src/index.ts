export { type ConnectWebSocketOptions, connectWebSocket, WebSocketRefusedError } from './connect-websocket.ts';
export { UacpUpgradeHandler, type UacpUpgradeOptions } from './uacp-upgrade-handler.ts';
export { UA_WSS_PROFILE_URI, UACP_SUBPROTOCOL, WebSocketByteTransport } from './websocket-byte-transport.ts';
