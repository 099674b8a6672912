import { BinaryWriter, type RequestHeader, type RequestType, type ResponseType } from '@bulkhead/types';
import type { MessageFormat } from './message-format.ts';
import { type AnyRequest, type AnyResponse, type RequestFields, readResponse, writeRequest } from './service-message.ts';

const CONTENT_TYPE = 'application/octet-stream';

/** OPC UA Binary. OPC 10000-6 §7.4.4. */
export class BinaryFormat implements MessageFormat<Buffer> {
  readonly contentType: string = CONTENT_TYPE;

  reads(contentType: string): boolean {
    return contentType === CONTENT_TYPE || contentType === 'application/opcua+uabinary';
  }

  write<Request extends AnyRequest>(
    type: RequestType<Request>,
    fields: RequestFields<Request>,
    header: RequestHeader,
    maxBytes: number,
  ): Buffer {
    const writer = new BinaryWriter(undefined, 0, maxBytes);
    writeRequest(writer, type, fields, header);
    return writer.toBuffer();
  }

  parse(message: Buffer): Buffer {
    return message;
  }

  read<Response extends AnyResponse>(type: ResponseType<Response>, message: Buffer): Response {
    return readResponse(type, message);
  }
}
