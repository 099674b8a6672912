/** OPC 10000-7: HTTPS UA-Binary. */
export const HTTPS_BINARY_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/https-uabinary';
/** OPC 10000-7: HTTPS UA-JSON. */
export const HTTPS_JSON_PROFILE_URI = 'http://opcfoundation.org/UA-Profile/Transport/https-uajson';
/** SecurityPolicy None: TLS secures the connection, and no nonces are signed. OPC 10000-6 §7.4.1. */
export const POLICY_NONE_URI = 'http://opcfoundation.org/UA/SecurityPolicy#None';
