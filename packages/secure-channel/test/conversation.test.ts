import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { SecurityPolicies } from '@bulkhead/security';
import { MessageSecurityMode } from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { ChannelPair, makeIdentity, type PairOptions, pattern, secureModes, securePolicies } from './channel-pair.ts';

let clientIdentity: ChannelIdentity;
let serverIdentity: ChannelIdentity;
let bigIdentity: ChannelIdentity;

beforeAll(async () => {
  [clientIdentity, serverIdentity, bigIdentity] = await Promise.all([
    makeIdentity('client'),
    makeIdentity('server'),
    makeIdentity('big', 4096),
  ]);
});

const everySecurity: [string, () => PairOptions][] = [['None', () => ({})]];
for (const policy of securePolicies) {
  for (const mode of secureModes) {
    everySecurity.push([`${policy.name} with mode ${mode}`, () => ({ policy, mode, clientIdentity, serverIdentity })]);
  }
}

describe('a conversation between client and server channel', () => {
  it.each(everySecurity)('opens, exchanges, renews and closes under %s', async (_name, options) => {
    const pair = new ChannelPair(options());
    await pair.open();
    expect(pair.server.isOpen).toBe(true);
    expect(pair.client.channelId).toBe(77);
    for (const size of [0, 1, 7, 8, 100, 8100, 8168, 8169, 50_000, 100_000]) {
      expect((await pair.exchange(size + 2, pattern(size))).equals(pattern(size)), `${size} bytes`).toBe(true);
    }
    for (let round = 0; round < 3; round++) {
      await pair.open(1000 + round);
      expect((await pair.exchange(5, pattern(20_000))).equals(pattern(20_000))).toBe(true);
    }
    const closed = await pair.toServer(pair.client.close(9));
    expect(closed).toEqual([{ kind: 'closed' }]);
    expect(pair.server.isOpen).toBe(false);
    expect(pair.admission.used).toBe(0);
  });

  it.each(everySecurity)(
    'never makes a chunk larger than the negotiated size, nor wastes a block of it, under %s',
    async (_name, options) => {
      const pair = new ChannelPair(options());
      await pair.open();
      const [first, second] = pair.respond(2, pattern(9000)) as [Buffer, Buffer];
      expect(first.length).toBeLessThanOrEqual(8192);
      expect(first.length).toBeGreaterThan(8192 - 16);
      expect(second.readUInt32LE(4)).toBe(second.length);
    },
  );

  it('tells services what secures the channel', async () => {
    const policy = SecurityPolicies.Aes256_Sha256_RsaPss;
    const pair = new ChannelPair({ policy, mode: MessageSecurityMode.SignAndEncrypt, clientIdentity, serverIdentity });
    expect(pair.server.securityMode).toBe(MessageSecurityMode.Invalid);
    await pair.open();
    expect(pair.server.securityPolicyUri).toBe(policy.uri);
    expect(pair.server.securityMode).toBe(MessageSecurityMode.SignAndEncrypt);
    expect(pair.server.clientCertificate?.equals(clientIdentity.certificateChain)).toBe(true);
    expect(pair.server.serverCertificate?.equals(serverIdentity.certificate.der)).toBe(true);
  });

  it('hides the content of encrypted chunks and shows that of signed ones', async () => {
    const secret = Buffer.from('the content of a message');
    for (const mode of secureModes) {
      const pair = new ChannelPair({ policy: SecurityPolicies.Basic256Sha256, mode, clientIdentity, serverIdentity });
      await pair.open();
      const [chunk] = pair.respond(2, secret) as [Buffer];
      expect(chunk.includes(secret)).toBe(mode === MessageSecurityMode.Sign);
    }
  });

  it('works with keys of different sizes, also those that need ExtraPaddingSize', async () => {
    for (const policy of securePolicies) {
      const mode = MessageSecurityMode.SignAndEncrypt;
      const bigServer = new ChannelPair({ policy, mode, clientIdentity, serverIdentity: bigIdentity });
      await bigServer.open();
      const bigClient = new ChannelPair({ policy, mode, clientIdentity: bigIdentity, serverIdentity });
      await bigClient.open();
      for (const pair of [bigServer, bigClient]) expect(await pair.exchange(2, pattern(100))).toEqual(pattern(100));
    }
  });

  it('sends the issuers along and leaves them out when the chunk would not hold them', async () => {
    const policy = SecurityPolicies.Basic256Sha256;
    const mode = MessageSecurityMode.Sign;
    const issuers = Buffer.concat([serverIdentity.certificateChain, bigIdentity.certificateChain]);
    const withIssuers = { ...clientIdentity, certificateChain: Buffer.concat([clientIdentity.certificateChain, issuers]) };
    const lengths: number[] = [];
    const endpoints = {
      validateClientCertificate: (chain: readonly unknown[]) => {
        lengths.push(chain.length);
        return Promise.resolve();
      },
    };
    await new ChannelPair({ policy, mode, clientIdentity: withIssuers, serverIdentity, endpoints }).open();
    const tooLong = {
      ...clientIdentity,
      certificateChain: Buffer.concat([clientIdentity.certificateChain, issuers, issuers, issuers, issuers]),
    };
    await new ChannelPair({ policy, mode, clientIdentity: tooLong, serverIdentity, endpoints }).open();
    expect(lengths).toEqual([3, 1]);
  });

  it('takes a certificate under SecurityPolicy None and ignores it', async () => {
    const pair = new ChannelPair();
    const [chunk] = (await pair.client.open(1)) as [Buffer];
    const uriEnd = 12 + 4 + SecurityPolicies.None.uri.length;
    const { der, thumbprintBytes } = clientIdentity.certificate;
    const certificateFields = Buffer.alloc(8 + der.length + 20);
    certificateFields.writeInt32LE(der.length, 0);
    der.copy(certificateFields, 4);
    certificateFields.writeInt32LE(20, 4 + der.length);
    thumbprintBytes.copy(certificateFields, 8 + der.length);
    const changed = Buffer.concat([chunk.subarray(0, uriEnd), certificateFields, chunk.subarray(uriEnd + 8)]);
    changed.writeUInt32LE(changed.length, 4);
    expect((await pair.toServer([changed]))[0]?.kind).toBe('opened');
    expect(pair.server.clientCertificate).toBeUndefined();
  });
});
