export { type ConnectWebSocketOptions, connectWebSocket } from './connect-websocket.ts';
export { type OpenWebSocketOptions, WebSocketRefusedError } from './open-websocket.ts';
export { TextWebSocket, type TextWebSocketEvents } from './text-websocket.ts';
export { UacpUpgradeHandler, type UacpUpgradeOptions } from './uacp-upgrade-handler.ts';
export { UA_WSS_PROFILE_URI, UACP_SUBPROTOCOL, WebSocketByteTransport } from './websocket-byte-transport.ts';
