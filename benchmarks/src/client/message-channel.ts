import type { Acknowledge } from './handshake.ts';

/** Receives whole messages: type id and service header on; the bytes are only valid during the call. */
export type MessageReceiver = (requestId: number, bytes: Buffer, start: number, end: number) => void;

/** Sends the chunks of a request that opens or renews the channel, and resolves with a copy of the answer's chunk. */
export type OpenExchange = (chunks: readonly Buffer[]) => Promise<Buffer>;

/** Client side of a SecureChannel, secured or not. OPC 10000-6 §6.7. */
export interface MessageChannel {
  /** Opens the channel within the limits that the server named. */
  open(exchange: OpenExchange, acknowledge: Acknowledge): Promise<void>;
  /** The chunks of one service request, ready to send in this order. */
  encode(requestId: number, body: Buffer): readonly Buffer[];
  /** Takes one MSG chunk; calls `receive` when it ends a message. @throws Error when the chunk is not as it must be. */
  decode(bytes: Buffer, start: number, end: number, receive: MessageReceiver): void;
  /** CloseSecureChannel, ready to send. */
  encodeClose(requestId: number): readonly Buffer[];
}
