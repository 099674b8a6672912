const KiB = 1024;
const MiB = 1024 * KiB;

/** Bounds of HTTPS. All finite; 0 is never "unlimited". */
export interface HttpsLimits {
  /** Largest body in OPC UA Binary, received or sent, bytes; default 4 MiB. */
  readonly maxMessageSize: number;
  /** Largest body in JSON that is received, bytes: JSON is parsed in one go. Default 1 MiB, or `maxMessageSize` if that is less. */
  readonly maxJsonBodyBytes: number;
  /** Requests on their way on one connection; one more is refused with 503, and the connection closed. Default 16. */
  readonly maxRequestsPerConnection: number;
  /** The same for one WebSocket whose messages are requests, where Publish may wait; one more closes it with 1013. Default 64. */
  readonly maxRequestsPerWebSocket: number;
  /** A peer that takes nothing of what is unsent for this long is closed; default 30 s. */
  readonly slowReaderTimeoutMs: number;
  /** How long connections have at the end to take their last answers; default 2 s. */
  readonly lingerTimeoutMs: number;
  /** A WebSocket from which nothing came for this long is pinged, and closed after the same time again, ms; default 30 s. */
  readonly pingIntervalMs: number;
  /** What a refusal for want of room says in Retry-After, ms; default 1 s. */
  readonly busyRetryAfterMs: number;
}

/**
 * Fills in the defaults and checks every limit.
 * @throws RangeError that names the limit.
 */
export function planHttpsLimits(options: Partial<HttpsLimits> = {}): HttpsLimits {
  const maxMessageSize = options.maxMessageSize ?? 4 * MiB;
  const limits: HttpsLimits = {
    maxMessageSize,
    maxJsonBodyBytes: options.maxJsonBodyBytes ?? Math.min(1 * MiB, maxMessageSize),
    maxRequestsPerConnection: options.maxRequestsPerConnection ?? 16,
    maxRequestsPerWebSocket: options.maxRequestsPerWebSocket ?? 64,
    slowReaderTimeoutMs: options.slowReaderTimeoutMs ?? 30_000,
    lingerTimeoutMs: options.lingerTimeoutMs ?? 2000,
    pingIntervalMs: options.pingIntervalMs ?? 30_000,
    busyRetryAfterMs: options.busyRetryAfterMs ?? 1000,
  };
  for (const [name, value] of Object.entries(limits)) {
    if (!(Number.isSafeInteger(value) && value > 0 && value <= 0x7fffffff)) {
      throw new RangeError(`${name}: an integer from 1 to ${0x7fffffff} is needed, not ${value}`);
    }
  }
  if (limits.maxJsonBodyBytes > maxMessageSize) throw new RangeError(`maxJsonBodyBytes: at most maxMessageSize, ${maxMessageSize}`);
  return limits;
}
