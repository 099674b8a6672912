/** Why a WebSocket is closed. RFC 6455 §7.4.1. */
export const CloseCode: {
  readonly Normal: 1000;
  readonly ProtocolError: 1002;
  readonly UnsupportedData: 1003;
  readonly TooLarge: 1009;
  readonly TryAgainLater: 1013;
} = { Normal: 1000, ProtocolError: 1002, UnsupportedData: 1003, TooLarge: 1009, TryAgainLater: 1013 };
