import type { StatusCode } from './status-code.ts';

/** The one error class that Bulkhead throws on purpose: a StatusCode for the wire and a message for the log. */
export class UaStatusError extends Error {
  override readonly name: string = 'UaStatusError';
  readonly statusCode: StatusCode;

  constructor(statusCode: StatusCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.statusCode = statusCode;
  }
}

const BAD_DECODING_ERROR = 0x80070000;
const BAD_ENCODING_LIMITS_EXCEEDED = 0x80080000;

/** Bytes that can't be decoded: `BadDecodingError`, or `BadEncodingLimitsExceeded` when only a limit stands in the way. */
export class DecodingError extends UaStatusError {
  override readonly name: string = 'DecodingError';

  /** The bytes are no valid encoding. */
  static malformed(message: string): DecodingError {
    return new DecodingError(BAD_DECODING_ERROR, message);
  }

  /** The encoding may be valid but is larger or deeper than a configured limit. */
  static limitExceeded(message: string): DecodingError {
    return new DecodingError(BAD_ENCODING_LIMITS_EXCEEDED, message);
  }
}
