import { describe, expect, it } from 'vitest';
import { ChannelPair, TestClock } from './channel-pair.ts';

/** Written by hand from OPC 10000-6 §6.7.2, §6.7.4 and §5.2. */
const uriHex = Buffer.from('http://opcfoundation.org/UA/SecurityPolicy#None').toString('hex');
const timestamp = Buffer.alloc(8);
timestamp.writeBigInt64LE(new TestClock().utcNow().toTicks());
const time = timestamp.toString('hex');

const requestHex = [
  '4f504e46 84000000', // OPN F, 132 bytes
  '00000000', // SecureChannelId
  `2f000000 ${uriHex}`, // SecurityPolicyUri
  'ffffffff ffffffff', // SenderCertificate, ReceiverCertificateThumbprint
  '01000000 01000000', // SequenceNumber, RequestId
  '0100be01', // i=446
  `0000 ${time} 01000000 00000000 ffffffff 00000000 000000`, // RequestHeader
  '00000000 00000000 01000000 ffffffff 10270000', // version, Issue, mode None, nonce, lifetime
]
  .join('')
  .replace(/\s/g, '');

const responseHex = [
  '4f504e46 87000000', // OPN F, 135 bytes
  '4d000000', // SecureChannelId 77
  `2f000000 ${uriHex}`,
  'ffffffff ffffffff',
  '01000000 01000000',
  '0100c101', // i=449
  `${time} 01000000 00000000 00 ffffffff 000000`, // ResponseHeader
  `00000000 4d000000 01000000 ${time} 10270000`, // version, ChannelId, TokenId, CreatedAt, lifetime
  'ffffffff', // nonce
]
  .join('')
  .replace(/\s/g, '');

describe('bytes of OpenSecureChannel under SecurityPolicy None', () => {
  it('client writes the request as the specification lays it out', async () => {
    const [chunk] = (await new ChannelPair().client.open(1)) as [Buffer];
    expect(chunk.toString('hex')).toBe(requestHex);
  });

  it('server answers a request given as bytes with the bytes of the specification', async () => {
    const [event] = await new ChannelPair().toServer([Buffer.from(requestHex, 'hex')]);
    expect(event?.kind === 'opened' && event.chunks[0]?.toString('hex')).toBe(responseHex);
  });

  it('writes a MSG chunk as the specification lays it out', async () => {
    const pair = new ChannelPair();
    await pair.open();
    const [chunk] = pair.respond(9, Buffer.of(1, 2, 3)) as [Buffer];
    expect(chunk.toString('hex')).toBe('4d5347461b0000004d000000010000000200000009000000010203');
  });

  it('writes a CLO chunk and an abort chunk as the specification lays them out', async () => {
    const pair = new ChannelPair();
    await pair.open();
    const [abort] = pair.server.encodeAbort(9, 0x80b90000, 'no') as [Buffer];
    expect(abort.toString('hex')).toBe('4d534741220000004d000000010000000200000009000000 0000b980 02000000 6e6f'.replace(/\s/g, ''));
    const [close] = pair.client.close(3) as [Buffer];
    const header = `0000 ${time} 03000000 00000000 ffffffff 00000000 000000`;
    expect(close.toString('hex')).toBe(`434c4f46390000004d000000010000000200000003000000 0100c401 ${header}`.replace(/\s/g, ''));
  });
});
