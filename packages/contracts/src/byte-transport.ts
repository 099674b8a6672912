import type { RemoteAddress } from './secure-channel-context.ts';

/** Moves bytes for one connection: a TCP socket, a WebSocket, a pipe in memory. Made by a listener, driven by a connection. */
export interface ByteTransport {
  readonly remote: RemoteAddress;
  readonly transportProfileUri: string;
  /** Bytes accepted by `write` that the peer's side has not taken yet. */
  readonly unsentBytes: number;
  /** Queues buffers in order; one system call where possible. The buffers must not change afterwards. */
  write(buffers: readonly Buffer[]): void;
  /** Stops reading: back-pressure on the peer. */
  pause(): void;
  resume(): void;
  /** Sends what is queued, then closes. Idempotent. */
  end(): void;
  /** Closes at once. Idempotent. */
  destroy(): void;
}

/** What a listener tells the connection that drives a transport. */
export interface ByteTransportEvents {
  /** The bytes are owned by the receiver. */
  onBytes(bytes: Buffer): void;
  /** Everything queued was handed to the operating system. */
  onDrain(): void;
  /** The transport is closed for good; called exactly once. */
  onClosed(): void;
}
