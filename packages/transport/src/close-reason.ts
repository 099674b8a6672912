import { type StatusCode, StatusCodes } from '@bulkhead/types';

/** Every way in which a connection ends; each has a counter. */
export const closeReasons = [
  /** The peer closed the transport. */
  'PeerClosed',
  /** The peer sent an Error message. */
  'PeerError',
  /** The peer closed its SecureChannel (CLO). */
  'ChannelClosed',
  /** No Hello in time. */
  'HelloTimeout',
  /** No open SecureChannel in time. */
  'HandshakeTimeout',
  /** The Hello can't be accepted: buffers, version, URL. */
  'HelloRejected',
  /** A message type that doesn't exist or doesn't belong into this state. */
  'MessageTypeInvalid',
  /** Bytes that can't be decoded. */
  'Malformed',
  /** A chunk or message larger than negotiated. */
  'MessageTooLarge',
  /** A message that was begun and not finished in time. */
  'MessageTimeout',
  /** Certificate, signature, nonce, token or sequence number. */
  'SecurityRejected',
  /** The SecurityToken ran out without a renewal. */
  'TokenExpired',
  /** No capacity for a handshake or for message chunks. */
  'NotEnoughResources',
  /** The peer took no bytes for too long. */
  'SlowReader',
  /** More unsent bytes than allowed. */
  'UnsentLimit',
  /** The owner's connections had more unsent bytes than allowed, and this one the most of them. */
  'OwnerUnsentLimit',
  /** Made room for another connection. */
  'Reclaimed',
  /** This server stops. */
  'ServerShutdown',
  /** An error of this server. */
  'InternalError',
] as const;

export type CloseReason = (typeof closeReasons)[number];

const reasonByStatus: ReadonlyMap<StatusCode, CloseReason> = new Map<StatusCode, CloseReason>([
  [StatusCodes.BadTcpMessageTypeInvalid, 'MessageTypeInvalid'],
  [StatusCodes.BadTcpMessageTooLarge, 'MessageTooLarge'],
  [StatusCodes.BadRequestTooLarge, 'MessageTooLarge'],
  [StatusCodes.BadDecodingError, 'Malformed'],
  [StatusCodes.BadEncodingLimitsExceeded, 'Malformed'],
  [StatusCodes.BadTimeout, 'MessageTimeout'],
  [StatusCodes.BadRequestTimeout, 'MessageTimeout'],
  [StatusCodes.BadTcpNotEnoughResources, 'NotEnoughResources'],
  [StatusCodes.BadServerTooBusy, 'NotEnoughResources'],
  [StatusCodes.BadConnectionRejected, 'HelloRejected'],
  [StatusCodes.BadTcpEndpointUrlInvalid, 'HelloRejected'],
  [StatusCodes.BadProtocolVersionUnsupported, 'HelloRejected'],
  [StatusCodes.BadSecureChannelTokenUnknown, 'TokenExpired'],
  [StatusCodes.BadSecureChannelClosed, 'TokenExpired'],
  [StatusCodes.BadTcpInternalError, 'InternalError'],
  [StatusCodes.BadInternalError, 'InternalError'],
]);

/** What a fatal error of the protocol packages counts as; every code without a line of its own is a security check. */
export function closeReasonOf(status: StatusCode): CloseReason {
  return reasonByStatus.get(status) ?? 'SecurityRejected';
}
