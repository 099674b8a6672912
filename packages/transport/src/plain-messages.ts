import type { Clock, OutgoingResponseHeader } from '@bulkhead/contracts';
import { EncodeBuffer } from '@bulkhead/secure-channel';
import { type ResponseType, StatusCodes, UaStatusError } from '@bulkhead/types';
import { type DecodedRequestHead, RequestHeadDecoder, type UndecodableHead } from './request-head.ts';
import { ResponseWriter } from './response-writer.ts';

/** Messages in OPC UA Binary without chunks and without security of their own, for transports that bring both. OPC 10000-6 §7.4.4. */
export class PlainMessages {
  readonly #heads: RequestHeadDecoder = new RequestHeadDecoder();
  readonly #writer: ResponseWriter;
  readonly #buffer: EncodeBuffer = new EncodeBuffer();

  constructor(clock: Clock) {
    this.#writer = new ResponseWriter(clock);
  }

  /** Reads type id and RequestHeader. */
  decodeHead(message: Buffer): DecodedRequestHead | UndecodableHead {
    return this.#heads.decode(message);
  }

  /** @throws UaStatusError BadResponseTooLarge beyond `maxBytes`, BadEncodingLimitsExceeded, BadEncodingError. */
  encodeResponse(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): Buffer {
    this.#writer.prepare(type, header, body);
    try {
      this.#writer.write(this.#buffer.start(0, maxBytes));
      return this.#buffer.take();
    } catch (error) {
      this.#buffer.reset();
      if (!(error instanceof UaStatusError) || error.statusCode !== StatusCodes.BadEncodingLimitsExceeded) throw error;
      throw new UaStatusError(StatusCodes.BadResponseTooLarge, `a response of more than ${maxBytes} bytes`, { cause: error });
    } finally {
      this.#writer.clear();
    }
  }
}
