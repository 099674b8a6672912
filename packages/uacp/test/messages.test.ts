import { DecodingError, StatusCodes, UaStatusError } from '@bulkhead/types';
import {
  decodeAcknowledge,
  decodeErrorMessage,
  decodeHello,
  decodeReverseHello,
  encodeAcknowledge,
  encodeErrorMessage,
  encodeHello,
  encodeReverseHello,
} from '@bulkhead/uacp';
import { describe, expect, it } from 'vitest';

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex');

function codeOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof UaStatusError) return error.statusCode;
    throw error;
  }
  return StatusCodes.Good;
}

/** A HEL chunk whose EndpointUrl has `byteCount` bytes. */
function helloWithUrl(byteCount: number): Buffer {
  const chunk = Buffer.alloc(32 + byteCount, 0x61);
  hex('48454c46 00000000 00000000 00000100 00000100 00000000 00000000').copy(chunk);
  chunk.writeUInt32LE(chunk.length, 4);
  chunk.writeInt32LE(byteCount, 28);
  return chunk;
}

describe('messages of the connection protocol', () => {
  it('encodes and decodes a Hello byte by byte', () => {
    const bytes = hex(`48454c46 2a000000 00000000 00000100 00200000 00004000 05000000 0a000000 6f70632e7463703a2f2f`);
    const hello = {
      protocolVersion: 0,
      receiveBufferSize: 65_536,
      sendBufferSize: 8192,
      maxMessageSize: 4_194_304,
      maxChunkCount: 5,
      endpointUrl: 'opc.tcp://',
    };
    expect(encodeHello(hello).toString('hex')).toBe(bytes.toString('hex'));
    expect(decodeHello(bytes)).toEqual(hello);
  });

  it('encodes and decodes an Acknowledge byte by byte', () => {
    const bytes = hex('41434b46 1c000000 00000000 00200000 00000100 00000000 ffffffff');
    const acknowledge = {
      protocolVersion: 0,
      receiveBufferSize: 8192,
      sendBufferSize: 65_536,
      maxMessageSize: 0,
      maxChunkCount: 0xffffffff,
    };
    expect(encodeAcknowledge(acknowledge).toString('hex')).toBe(bytes.toString('hex'));
    expect(decodeAcknowledge(bytes)).toEqual(acknowledge);
  });

  it('encodes and decodes an Error byte by byte', () => {
    const bytes = hex('45525246 12000000 00007e80 02000000 6e6f');
    const message = { error: StatusCodes.BadTcpMessageTypeInvalid, reason: 'no' };
    expect(encodeErrorMessage(message).toString('hex')).toBe(bytes.toString('hex'));
    expect(decodeErrorMessage(bytes)).toEqual(message);
  });

  it('encodes and decodes a ReverseHello byte by byte', () => {
    const bytes = hex('52484546 18000000 03000000 75726e 05000000 6f70632e74');
    const reverseHello = { serverUri: 'urn', endpointUrl: 'opc.t' };
    expect(encodeReverseHello(reverseHello).toString('hex')).toBe(bytes.toString('hex'));
    expect(decodeReverseHello(bytes)).toEqual(reverseHello);
  });

  it('takes an EndpointUrl of 4,096 bytes and refuses one of 4,097', () => {
    expect(decodeHello(helloWithUrl(4096)).endpointUrl).toHaveLength(4096);
    expect(codeOf(() => decodeHello(helloWithUrl(4097)))).toBe(StatusCodes.BadTcpEndpointUrlInvalid);
  });

  it('refuses URIs of more than 4,096 bytes in a ReverseHello', () => {
    const long = Buffer.alloc(16 + 4097, 0x61);
    hex('52484546 00000000 01100000').copy(long);
    expect(codeOf(() => decodeReverseHello(long))).toBe(StatusCodes.BadTcpEndpointUrlInvalid);
  });

  it('reads a null EndpointUrl as an empty one and a null reason as an empty one', () => {
    const hello = hex('48454c46 20000000 00000000 00000100 00000100 00000000 00000000 ffffffff');
    expect(decodeHello(hello).endpointUrl).toBe('');
    expect(decodeErrorMessage(hex('45525246 10000000 00007e80 ffffffff'))).toEqual({ error: 0x807e0000, reason: '' });
  });

  it('ignores fields that a later protocol version may add to a Hello', () => {
    const hello = hex('48454c46 24000000 01000000 00000100 00000100 00000000 00000000 ffffffff deadbeef');
    expect(decodeHello(hello).protocolVersion).toBe(1);
  });

  it('reports every truncation as a decoding error', () => {
    const messages = [
      [encodeHello({ ...decodeHello(helloWithUrl(9)), endpointUrl: 'opc.tcp:/' }), decodeHello],
      [
        encodeAcknowledge({ protocolVersion: 0, receiveBufferSize: 1, sendBufferSize: 2, maxMessageSize: 3, maxChunkCount: 4 }),
        decodeAcknowledge,
      ],
      [encodeErrorMessage({ error: 1, reason: 'why' }), decodeErrorMessage],
      [encodeReverseHello({ serverUri: 'a', endpointUrl: 'b' }), decodeReverseHello],
    ] as const;
    for (const [bytes, decode] of messages) {
      for (let length = 0; length < bytes.length; length++) {
        expect(() => decode(bytes.subarray(0, length))).toThrow(DecodingError);
      }
    }
  });

  it('refuses negative string lengths other than -1', () => {
    expect(codeOf(() => decodeErrorMessage(hex('45525246 10000000 00007e80 feffffff')))).toBe(StatusCodes.BadDecodingError);
  });

  it('keeps the code of an Error whose reason is too long', () => {
    const long = Buffer.alloc(16 + 4097, 0x61);
    hex('45525246 00000000 00007e80 01100000').copy(long);
    expect(decodeErrorMessage(long)).toEqual({ error: StatusCodes.BadTcpMessageTypeInvalid, reason: '' });
  });

  it('cuts a reason of more than 4,096 bytes between characters', () => {
    const { reason } = decodeErrorMessage(encodeErrorMessage({ error: 1, reason: 'a'.concat('€'.repeat(2000)) }));
    expect(Buffer.byteLength(reason)).toBe(4096);
    expect(reason).toBe('a'.concat('€'.repeat(1365)));
    expect(decodeErrorMessage(encodeErrorMessage({ error: 1, reason: '€'.repeat(2000) })).reason).toBe('€'.repeat(1365));
  });
});
