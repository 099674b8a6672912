import { chunkTypeOf, encodeMessage, RawUacpPeer, rawChunk, rawHello, SECURITY_POLICY_NONE } from '@bulkhead/testkit';
import {
  BinaryWriter,
  GetEndpointsRequest,
  GetEndpointsResponse,
  OpenSecureChannelRequest,
  type SecurityTokenRequestType,
  type StatusCode,
  StatusCodes,
} from '@bulkhead/types';
import type { Hello } from '@bulkhead/uacp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileTest } from './bystander.ts';
import { statusName } from './status-names.ts';

/** How far the peer behaves before it sends the bad bytes. */
type Stage = 'connected' | 'acknowledged' | 'open';
type Row = readonly [what: string, after: Stage, bytes: (peer: RawUacpPeer) => Uint8Array, status: StatusCode];

/** Eight bytes with any MessageSize. */
function header(type: string, size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.write(type, 'latin1');
  bytes.writeUInt32LE(size, 4);
  return bytes;
}

/** A good request of the open channel, bent by `change`. */
function bent(change: (chunk: Buffer) => void): (peer: RawUacpPeer) => Buffer {
  return ({ channel }) => {
    const chunk = channel.request(GetEndpointsRequest, {});
    change(chunk);
    return chunk;
  };
}

const write = (offset: number, value: number): ((peer: RawUacpPeer) => Buffer) => bent((chunk) => chunk.writeUInt32LE(value, offset));
const add = (offset: number, value: number): ((peer: RawUacpPeer) => Buffer) =>
  bent((chunk) => chunk.writeUInt32LE((chunk.readUInt32LE(offset) + value) >>> 0, offset));
const letters = (text: string): ((peer: RawUacpPeer) => Buffer) => bent((chunk) => void chunk.write(text, 'latin1'));

function open(overrides: { channelId?: number; policyUri?: string; body?: Uint8Array; requestType?: SecurityTokenRequestType }): Buffer {
  const writer = new BinaryWriter();
  writer.writeUInt32(overrides.channelId ?? 0);
  writer.writeString(overrides.policyUri ?? SECURITY_POLICY_NONE);
  writer.writeByteString(null);
  writer.writeByteString(null);
  writer.writeUInt32(1);
  writer.writeUInt32(1);
  const request = OpenSecureChannelRequest.create({ requestType: overrides.requestType ?? 0, securityMode: 1, requestedLifetime: 60_000 });
  writer.writeBytes(overrides.body ?? encodeMessage(OpenSecureChannelRequest, request));
  return rawChunk('OPN', 'F', writer.toBuffer());
}

const CHANNEL_ID = 8;
const TOKEN_ID = 12;
const SEQUENCE_NUMBER = 16;
const {
  BadConnectionRejected,
  BadDecodingError,
  BadRequestTypeInvalid,
  BadSecureChannelTokenUnknown,
  BadSecurityPolicyRejected,
  BadSequenceNumberInvalid,
  BadTcpEndpointUrlInvalid,
  BadTcpMessageTooLarge,
  BadTcpMessageTypeInvalid,
  BadTcpSecureChannelUnknown,
} = StatusCodes;

const rows: readonly Row[] = [
  ['an unknown message type', 'connected', () => rawChunk('XYZ', 'F', Buffer.alloc(8)), BadTcpMessageTypeInvalid],
  ['a message type in small letters', 'connected', () => rawChunk('hel', 'F', Buffer.alloc(8)), BadTcpMessageTypeInvalid],
  ['an HTTP request', 'connected', () => Buffer.from('GET / HTTP/1.1\r\n\r\n'), BadTcpMessageTypeInvalid],
  ['a TLS greeting', 'connected', () => Buffer.from('16030100c8010000c40303', 'hex'), BadTcpMessageTypeInvalid],
  ['MSG before HEL', 'connected', () => rawChunk('MSG', 'F', Buffer.alloc(16)), BadTcpMessageTypeInvalid],
  ['OPN before HEL', 'connected', () => open({}), BadTcpMessageTypeInvalid],
  ['CLO before HEL', 'connected', () => rawChunk('CLO', 'F', Buffer.alloc(16)), BadTcpMessageTypeInvalid],
  ['ACK', 'connected', () => rawChunk('ACK', 'F', Buffer.alloc(20)), BadTcpMessageTypeInvalid],
  ['RHE', 'connected', () => rawChunk('RHE', 'F', Buffer.alloc(8)), BadTcpMessageTypeInvalid],
  ['MessageSize 0', 'connected', () => header('HELF', 0), BadDecodingError],
  ['MessageSize 7', 'connected', () => header('HELF', 7), BadDecodingError],
  ['HEL of 8,193 bytes', 'connected', () => header('HELF', 8193), BadTcpMessageTooLarge],
  ['MessageSize 0x7fffffff', 'connected', () => header('HELF', 0x7fff_ffff), BadTcpMessageTooLarge],
  ['MessageSize 0xffffffff', 'connected', () => header('HELF', 0xffff_ffff), BadTcpMessageTooLarge],
  ['HEL without fields', 'connected', () => rawChunk('HEL', 'F', Buffer.alloc(0)), BadDecodingError],
  ['HEL cut short', 'connected', () => rawChunk('HEL', 'F', rawHello().subarray(8, 30)), BadDecodingError],
  ['ReceiveBufferSize 8,191', 'connected', () => rawHello({ receiveBufferSize: 8191 }), BadConnectionRejected],
  ['SendBufferSize 8,191', 'connected', () => rawHello({ sendBufferSize: 8191 }), BadConnectionRejected],
  ['buffers of 0', 'connected', () => rawHello({ receiveBufferSize: 0, sendBufferSize: 0 }), BadConnectionRejected],
  ['a URL of 4,097 bytes', 'connected', () => longUrl(4097), BadTcpEndpointUrlInvalid],
  ['a URL that claims 2 GiB', 'connected', () => longUrl(64, 0x7fff_ffff), BadTcpEndpointUrlInvalid],
  ['a URL that claims one byte more than came', 'connected', () => longUrl(64, 65), BadDecodingError],

  ['HEL twice', 'acknowledged', () => rawHello(), BadTcpMessageTypeInvalid],
  ['MSG before OPN', 'acknowledged', () => rawChunk('MSG', 'F', Buffer.alloc(16)), BadTcpMessageTypeInvalid],
  ['CLO before OPN', 'acknowledged', () => rawChunk('CLO', 'F', Buffer.alloc(16)), BadTcpMessageTypeInvalid],
  ['OPN as an intermediate chunk', 'acknowledged', () => rawChunk('OPN', 'C', Buffer.alloc(16)), BadTcpMessageTypeInvalid],
  ['OPN above the negotiated size', 'acknowledged', () => header('OPNF', 65_537), BadTcpMessageTooLarge],
  ['OPN for a channel that does not exist', 'acknowledged', () => open({ channelId: 5 }), BadTcpSecureChannelUnknown],
  ['OPN with an unknown policy', 'acknowledged', () => open({ policyUri: 'urn:unknown' }), BadSecurityPolicyRejected],
  ['OPN that renews nothing', 'acknowledged', () => open({ requestType: 1 }), BadRequestTypeInvalid],
  [
    'OPN with another body',
    'acknowledged',
    () => open({ body: encodeMessage(GetEndpointsRequest, GetEndpointsRequest.create({})) }),
    BadDecodingError,
  ],
  ['OPN with noise for a body', 'acknowledged', () => open({ body: Buffer.alloc(64, 0xee) }), BadDecodingError],
  ['OPN cut off in its security header', 'acknowledged', () => rawChunk('OPN', 'F', Buffer.alloc(6)), BadDecodingError],

  ['an unknown chunk type', 'open', letters('MSGX'), BadTcpMessageTypeInvalid],
  ['HEL on an open channel', 'open', () => rawHello(), BadTcpMessageTypeInvalid],
  ['CLO as an intermediate chunk', 'open', letters('CLOC'), BadTcpMessageTypeInvalid],
  ['MSG above the negotiated size', 'open', () => header('MSGF', 65_537), BadTcpMessageTooLarge],
  ['MSG without anything', 'open', () => rawChunk('MSG', 'F', Buffer.alloc(0)), BadDecodingError],
  ['MSG that ends in its sequence header', 'open', ({ channel }) => cut(channel.request(GetEndpointsRequest, {}), 22), BadDecodingError],
  ['the SecureChannelId of nobody', 'open', write(CHANNEL_ID, 0), BadTcpSecureChannelUnknown],
  ['the SecureChannelId of the next channel', 'open', add(CHANNEL_ID, 1), BadTcpSecureChannelUnknown],
  ['a TokenId that was not issued', 'open', add(TOKEN_ID, 1), BadSecureChannelTokenUnknown],
  ['a SequenceNumber that was used', 'open', add(SEQUENCE_NUMBER, -1), BadSequenceNumberInvalid],
  ['a SequenceNumber that is skipped', 'open', add(SEQUENCE_NUMBER, 1), BadSequenceNumberInvalid],
  ['SequenceNumber 0', 'open', write(SEQUENCE_NUMBER, 0), BadSequenceNumberInvalid],
  ['CLO with a wrong SequenceNumber', 'open', bentClose, BadSequenceNumberInvalid],
  ['a second channel on the connection', 'open', () => open({}), BadRequestTypeInvalid],
  [
    'a renewal of another channel',
    'open',
    ({ channel }) => open({ channelId: channel.channelId + 1, requestType: 1 }),
    BadTcpSecureChannelUnknown,
  ],
];

function longUrl(byteCount: number, claimed = byteCount): Buffer {
  const writer = new BinaryWriter();
  for (const value of [0, 65_536, 65_536, 0, 0, claimed]) writer.writeUInt32(value);
  writer.writeBytes(Buffer.alloc(byteCount, 'x'));
  return rawChunk('HEL', 'F', writer.toBuffer());
}

function cut(chunk: Buffer, byteCount: number): Buffer {
  return rawChunk(chunkTypeOf(chunk), 'F', chunk.subarray(8, byteCount));
}

function bentClose({ channel }: RawUacpPeer): Buffer {
  channel.nextSequenceNumber += 5;
  return channel.chunk('CLO', 'F', 9, Buffer.alloc(0));
}

async function peerAt(stage: Stage, port: number): Promise<RawUacpPeer> {
  const peer = await RawUacpPeer.connect({ port });
  if (stage !== 'connected') await peer.hello();
  if (stage === 'open') await peer.openNone();
  return peer;
}

let hostile: HostileTest;

beforeAll(async () => {
  hostile = await HostileTest.start();
});

afterAll(() => hostile.end());

describe('a peer whose headers are wrong is told why and is gone, while others are served', () => {
  it.each(rows)('%s (%s)', async (_what, after, bytes, status) => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await peerAt(after, hostile.port);
      peer.send(bytes(peer));
      expect(statusName((await peer.nextError()).error)).toBe(statusName(status));
      await peer.closed;
      await expect(peer.nextChunk()).rejects.toThrow('closed');
    });
  });

  it('what follows a bad header in the same segment is not looked at', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await peerAt('open', hostile.port);
      const { channel } = peer;
      peer.send(write(TOKEN_ID, 99)(peer), channel.request(GetEndpointsRequest, {}), Buffer.alloc(10_000, 'MSGF'));
      expect((await peer.nextError()).error).toBe(BadSecureChannelTokenUnknown);
      await peer.closed;
    });
  });

  it('a peer that sends ERR is closed without an answer', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await peerAt('open', hostile.port);
      peer.send(rawChunk('ERR', 'F', Buffer.alloc(8)));
      await peer.closed;
      await expect(peer.nextChunk()).rejects.toThrow('closed');
    });
  });
});

describe('a peer that is only unusual is served', () => {
  it.each<readonly [what: string, hello: Partial<Hello>]>([
    ['a ProtocolVersion from the future', { protocolVersion: 0xffff_ffff }],
    ['an empty URL', { endpointUrl: '' }],
    ['a URL of 4,096 bytes', { endpointUrl: 'x'.repeat(4096) }],
    ['buffers of 4 GiB', { receiveBufferSize: 0xffff_ffff, sendBufferSize: 0xffff_ffff }],
    ['buffers of exactly 8,192 bytes', { receiveBufferSize: 8192, sendBufferSize: 8192 }],
  ])('%s', async (_what, hello) => {
    const peer = await RawUacpPeer.connect({ port: hostile.port });
    const acknowledge = await peer.hello(hello);
    expect(acknowledge.protocolVersion).toBe(0);
    expect(acknowledge.receiveBufferSize).toBe(Math.min(65_536, hello.sendBufferSize ?? 65_536));
    await peer.destroy();
  });

  it('a URL that is null', async () => {
    const peer = await RawUacpPeer.connect({ port: hostile.port });
    peer.send(longUrl(0, 0xffff_ffff));
    expect(chunkTypeOf(await peer.nextChunk())).toBe('ACK');
    await peer.destroy();
  });

  it('SequenceNumbers may start anywhere', async () => {
    const peer = await RawUacpPeer.connect({ port: hostile.port });
    await peer.hello();
    peer.channel.nextSequenceNumber = 4_000_000_000;
    await peer.openNone();
    await peer.request(GetEndpointsRequest, {}, GetEndpointsResponse);
    await peer.closeChannel();
  });
});
