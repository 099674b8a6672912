/** OPC 10000-7: HTTPS UA-Binary. */
export const HTTPS_BINARY_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/https-uabinary';
/** OPC 10000-7: HTTPS UA-JSON. */
export const HTTPS_JSON_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/https-uajson';
/** OPC 10000-7: HTTPS UA-JSON by OpenAPI. */
export const HTTPS_OPENAPI_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/https-uajson-openapi';
/** OPC 10000-7: WebSocket UA-JSON. */
export const WSS_JSON_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/wss-uajson';
/** OPC 10000-7: WebSocket UA-JSON by OpenAPI. */
export const WSS_OPENAPI_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/wss-uajson-openapi';
/** SecurityPolicy None: TLS secures the connection, and no nonces are signed. OPC 10000-6 §7.4.1. */
export const POLICY_NONE_URI = 'http://opcfoundation.org/UA/SecurityPolicy#None';
