import { MIN_BUFFER_BYTES } from '@bulkhead/uacp';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Bounds of every connection of a server. All finite; 0 is never "unlimited". */
export interface ConnectionLimits {
  /** Largest MessageChunk received, bytes, 8,192 … 2^31; default 65,536. */
  readonly receiveBufferSize: number;
  /** Largest MessageChunk sent, bytes, 8,192 … 2^31; default 65,536. */
  readonly sendBufferSize: number;
  /** Largest message received or sent, bytes; default 4 MiB. */
  readonly maxMessageSize: number;
  /** Most chunks of a received message; default what `maxMessageSize` needs in chunks of 8,192 bytes, headers and padding included. */
  readonly maxChunkCount: number;
  /** From accept to a complete Hello; default 10 s. */
  readonly helloTimeoutMs: number;
  /** From accept to an open SecureChannel, whatever traffic there is; at most, and by default, 120 s. */
  readonly handshakeTimeoutMs: number;
  /** From the first byte of a message to its last; default 60 s. */
  readonly messageTimeoutMs: number;
  /** How long a closing connection waits for the peer to take the Error message; default 2 s. */
  readonly lingerTimeoutMs: number;
  /** Requests that were read and not dispatched, above which the connection is not read from; default 64. */
  readonly maxReadAheadRequests: number;
  /** Their bytes; default 128 KiB. A single larger message is read. */
  readonly maxReadAheadBytes: number;
  /** Unsent bytes above which no further request is read; default 1 MiB. */
  readonly pacedUnsentBytes: number;
  /** Unsent bytes above which the connection is closed; >= 2 × `maxMessageSize`; default 4 × `maxMessageSize`, at least 8 MiB. */
  readonly maxUnsentBytes: number;
  /**
   * Unsent bytes of all connections of one owner, above which that with the most is closed; >= `maxUnsentBytes`; default four
   * times that.
   */
  readonly maxUnsentBytesPerOwner: number;
  /** A peer that takes nothing of what is unsent for this long is closed; default 30 s. */
  readonly slowReaderTimeoutMs: number;
  /** Longest time per turn of the event loop that goes into reading, over all connections; default 1 ms. */
  readonly readSliceMs: number;
}

/** A chunk of 8,192 bytes carries at least this much of a message, whatever secures it. */
const MIN_CHUNK_BODY_BYTES = MIN_BUFFER_BYTES - 192;
const MAX_HANDSHAKE_TIMEOUT_MS = 120_000;
const MAX_BUFFER_BYTES = 2 ** 31;
const MAX_UINT32 = 0xffffffff;

/**
 * Fills in the defaults and checks every limit.
 * @throws RangeError that names the limit.
 */
export function planConnectionLimits(options: Partial<ConnectionLimits> = {}): ConnectionLimits {
  const maxMessageSize = options.maxMessageSize ?? 4 * MiB;
  const maxUnsentBytes = options.maxUnsentBytes ?? Math.max(8 * MiB, 4 * maxMessageSize);
  const limits: ConnectionLimits = {
    receiveBufferSize: options.receiveBufferSize ?? 64 * KiB,
    sendBufferSize: options.sendBufferSize ?? 64 * KiB,
    maxMessageSize,
    maxChunkCount: options.maxChunkCount ?? Math.ceil(maxMessageSize / MIN_CHUNK_BODY_BYTES),
    helloTimeoutMs: options.helloTimeoutMs ?? 10_000,
    handshakeTimeoutMs: options.handshakeTimeoutMs ?? MAX_HANDSHAKE_TIMEOUT_MS,
    messageTimeoutMs: options.messageTimeoutMs ?? 60_000,
    lingerTimeoutMs: options.lingerTimeoutMs ?? 2000,
    maxReadAheadRequests: options.maxReadAheadRequests ?? 64,
    maxReadAheadBytes: options.maxReadAheadBytes ?? 128 * KiB,
    pacedUnsentBytes: options.pacedUnsentBytes ?? 1 * MiB,
    maxUnsentBytes,
    maxUnsentBytesPerOwner: options.maxUnsentBytesPerOwner ?? 4 * maxUnsentBytes,
    slowReaderTimeoutMs: options.slowReaderTimeoutMs ?? 30_000,
    readSliceMs: options.readSliceMs ?? 1,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (!(Number.isFinite(value) && value > 0)) throw new RangeError(`${name}: a finite number > 0 is needed, not ${value}`);
  }
  checkInteger('receiveBufferSize', limits.receiveBufferSize, MIN_BUFFER_BYTES, MAX_BUFFER_BYTES);
  checkInteger('sendBufferSize', limits.sendBufferSize, MIN_BUFFER_BYTES, MAX_BUFFER_BYTES);
  checkInteger('maxMessageSize', maxMessageSize, MIN_BUFFER_BYTES, MAX_BUFFER_BYTES);
  checkInteger('maxChunkCount', limits.maxChunkCount, 1, MAX_UINT32);
  checkInteger('maxUnsentBytes', limits.maxUnsentBytes, 2 * maxMessageSize, Number.MAX_SAFE_INTEGER);
  checkInteger('maxUnsentBytesPerOwner', limits.maxUnsentBytesPerOwner, limits.maxUnsentBytes, Number.MAX_SAFE_INTEGER);
  if (limits.handshakeTimeoutMs > MAX_HANDSHAKE_TIMEOUT_MS) {
    throw new RangeError(`handshakeTimeoutMs: at most ${MAX_HANDSHAKE_TIMEOUT_MS}, not ${limits.handshakeTimeoutMs}`);
  }
  return limits;
}

function checkInteger(name: string, value: number, min: number, max: number): void {
  if (!(Number.isSafeInteger(value) && value >= min && value <= max)) {
    throw new RangeError(`${name}: an integer ${min} … ${max} is needed, not ${value}`);
  }
}
