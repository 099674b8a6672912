import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { Acknowledge } from './acknowledge.ts';
import type { Hello } from './hello.ts';

/** Version of the connection protocol that this is. OPC 10000-6 §7.1.2.3. */
export const PROTOCOL_VERSION = 0;
/** Smallest buffer for SecurityPolicies with RSA keys. OPC 10000-6 §7.1.2.3. */
export const MIN_BUFFER_BYTES = 8192;
/** Stands for a peer's limit of 0, "no limit". */
export const NO_LIMIT: number = Number.MAX_SAFE_INTEGER;

const MAX_UINT32 = 0xffffffff;

/** What one side is ready for. */
export interface UacpLimits {
  /** Largest chunk to receive, in bytes; >= 8,192. */
  readonly receiveBufferSize: number;
  /** Largest chunk to send, in bytes; >= 8,192. */
  readonly sendBufferSize: number;
  /** Largest Message to receive, in bytes of its body over all chunks; finite, >= 1. */
  readonly maxMessageSize: number;
  /** Most chunks of a Message to receive; finite, >= 1. */
  readonly maxChunkCount: number;
}

/** What holds for one connection, seen from one side. */
export interface NegotiatedLimits {
  readonly protocolVersion: number;
  /** ProtocolVersion that the Hello asked for; an OpenSecureChannel request has to repeat it. */
  readonly helloProtocolVersion: number;
  /** Largest chunk that may come, in bytes, all headers included. */
  readonly receiveBufferSize: number;
  /** Largest chunk that may go out, in bytes, all headers included. */
  readonly sendBufferSize: number;
  /** Largest Message body that may come, in bytes; finite. */
  readonly maxReceiveMessageBytes: number;
  readonly maxReceiveChunks: number;
  /** Largest Message body that the peer takes, in bytes; `NO_LIMIT` when it named none. */
  readonly maxSendMessageBytes: number;
  /** `NO_LIMIT` when the peer named none. */
  readonly maxSendChunks: number;
}

/**
 * Server: works out what holds after a Hello. No buffer becomes larger than the Hello allows, none smaller than 8,192 bytes.
 * Every ProtocolVersion is accepted and answered with 0, the only one there is. OPC 10000-6 §7.1.2.3, §7.1.2.4.
 * @throws UaStatusError BadConnectionRejected when the client's buffers are smaller than 8,192 bytes.
 */
export function negotiate(hello: Hello, server: UacpLimits): NegotiatedLimits {
  const smallest = Math.min(hello.receiveBufferSize, hello.sendBufferSize);
  if (smallest < MIN_BUFFER_BYTES) {
    throw new UaStatusError(StatusCodes.BadConnectionRejected, `client buffer of ${smallest} bytes, at least ${MIN_BUFFER_BYTES} needed`);
  }
  return {
    protocolVersion: PROTOCOL_VERSION,
    helloProtocolVersion: hello.protocolVersion,
    receiveBufferSize: Math.min(server.receiveBufferSize, hello.sendBufferSize),
    sendBufferSize: Math.min(server.sendBufferSize, hello.receiveBufferSize),
    maxReceiveMessageBytes: server.maxMessageSize,
    maxReceiveChunks: server.maxChunkCount,
    maxSendMessageBytes: hello.maxMessageSize || NO_LIMIT,
    maxSendChunks: hello.maxChunkCount || NO_LIMIT,
  };
}

/** Server: the Acknowledge that tells the client what was negotiated. OPC 10000-6 §7.1.2.4. */
export function acknowledgeOf(limits: NegotiatedLimits): Acknowledge {
  return {
    protocolVersion: limits.protocolVersion,
    receiveBufferSize: limits.receiveBufferSize,
    sendBufferSize: limits.sendBufferSize,
    maxMessageSize: Math.min(limits.maxReceiveMessageBytes, MAX_UINT32),
    maxChunkCount: Math.min(limits.maxReceiveChunks, MAX_UINT32),
  };
}

/**
 * Client: checks an Acknowledge against the Hello it answers.
 * @param client the limits that the Hello was made from; the client's own bounds hold even where the Hello said 0.
 * @throws UaStatusError BadCommunicationError when the server exceeds what the Hello allows, has buffers under 8,192 bytes, or
 * names a ProtocolVersion above the one asked for.
 */
export function acceptAcknowledge(hello: Hello, acknowledge: Acknowledge, client: UacpLimits): NegotiatedLimits {
  const { protocolVersion, receiveBufferSize, sendBufferSize } = acknowledge;
  if (protocolVersion > hello.protocolVersion) throw badAcknowledge(`ProtocolVersion ${protocolVersion}`);
  if (receiveBufferSize > hello.sendBufferSize || receiveBufferSize < MIN_BUFFER_BYTES) {
    throw badAcknowledge(`ReceiveBufferSize ${receiveBufferSize}`);
  }
  if (sendBufferSize > hello.receiveBufferSize || sendBufferSize < MIN_BUFFER_BYTES) {
    throw badAcknowledge(`SendBufferSize ${sendBufferSize}`);
  }
  return {
    protocolVersion,
    helloProtocolVersion: hello.protocolVersion,
    receiveBufferSize: sendBufferSize,
    sendBufferSize: receiveBufferSize,
    maxReceiveMessageBytes: client.maxMessageSize,
    maxReceiveChunks: client.maxChunkCount,
    maxSendMessageBytes: acknowledge.maxMessageSize || NO_LIMIT,
    maxSendChunks: acknowledge.maxChunkCount || NO_LIMIT,
  };
}

/** Client: the Hello for its limits. */
export function helloOf(client: UacpLimits, endpointUrl: string): Hello {
  return {
    protocolVersion: PROTOCOL_VERSION,
    receiveBufferSize: client.receiveBufferSize,
    sendBufferSize: client.sendBufferSize,
    maxMessageSize: Math.min(client.maxMessageSize, MAX_UINT32),
    maxChunkCount: Math.min(client.maxChunkCount, MAX_UINT32),
    endpointUrl,
  };
}

function badAcknowledge(what: string): UaStatusError {
  return new UaStatusError(StatusCodes.BadCommunicationError, `Acknowledge with ${what}`);
}
