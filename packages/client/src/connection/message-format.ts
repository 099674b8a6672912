import type { RequestHeader, RequestType, ResponseType } from '@bulkhead/types';
import type { AnyRequest, AnyResponse, RequestFields } from './service-message.ts';

/** How messages are written that are no MessageChunks. `Message` is what an answer is kept as until it is known what it has to be. */
export interface MessageFormat<Message> {
  /** Of what is posted. */
  readonly contentType: string;
  /** Whether an answer of this type can be read; without parameters such as a charset. */
  reads(contentType: string): boolean;
  /** @throws UaStatusError BadRequestTooLarge above `maxBytes` */
  write<Request extends AnyRequest>(
    type: RequestType<Request>,
    fields: RequestFields<Request>,
    header: RequestHeader,
    maxBytes: number,
  ): Buffer;
  /** @throws DecodingError */
  parse(message: Buffer): Message;
  /** @throws ServiceResultError for a ServiceFault or a bad ServiceResult, DecodingError for anything else that isn't `type`. */
  read<Response extends AnyResponse>(type: ResponseType<Response>, message: Message): Response;
}
