import { finishMessage, messageReader, startMessage } from './connection-message.ts';
import { readUrl } from './hello.ts';

/** What a server sends first on a connection that it opened itself. OPC 10000-6 §7.1.2.6. */
export interface ReverseHello {
  /** ApplicationUri of the server; at most 4,096 bytes. */
  readonly serverUri: string;
  /** EndpointUrl for the client's Hello; at most 4,096 bytes. */
  readonly endpointUrl: string;
}

export function encodeReverseHello(reverseHello: ReverseHello): Buffer {
  const writer = startMessage();
  writer.writeString(reverseHello.serverUri);
  writer.writeString(reverseHello.endpointUrl);
  return finishMessage(writer, 'RHE');
}

/**
 * @param chunk a whole RHE chunk.
 * @throws DecodingError; UaStatusError BadTcpEndpointUrlInvalid when one of the strings has more than 4,096 bytes.
 */
export function decodeReverseHello(chunk: Buffer): ReverseHello {
  const reader = messageReader(chunk);
  return { serverUri: readUrl(reader), endpointUrl: readUrl(reader) };
}
