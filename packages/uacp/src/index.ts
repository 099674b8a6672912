export { type Acknowledge, decodeAcknowledge, encodeAcknowledge } from './acknowledge.ts';
export { BlockPool } from './block-pool.ts';
export { ChunkFramer } from './chunk-framer.ts';
export { decodeErrorMessage, type ErrorMessage, encodeErrorMessage, MAX_REASON_BYTES, truncateReason } from './error-message.ts';
export { decodeHello, encodeHello, type Hello, MAX_ENDPOINT_URL_BYTES } from './hello.ts';
export {
  type ChunkType,
  checkMessageHeader,
  MESSAGE_HEADER_BYTES,
  type MessageType,
  readChunkType,
  readMessageSize,
  readMessageType,
  writeMessageHeader,
} from './message-header.ts';
export {
  acceptAcknowledge,
  acknowledgeOf,
  helloOf,
  MIN_BUFFER_BYTES,
  type NegotiatedLimits,
  NO_LIMIT,
  negotiate,
  PROTOCOL_VERSION,
  type UacpLimits,
} from './negotiation.ts';
export { decodeReverseHello, encodeReverseHello, type ReverseHello } from './reverse-hello.ts';
