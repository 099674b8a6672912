import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { SecurityPolicies } from '@bulkhead/security';
import { MessageSecurityMode, StatusCodes } from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { ChannelPair, codeOf, makeIdentity, pattern, secureModes, securePolicies } from './channel-pair.ts';

let clientIdentity: ChannelIdentity;
let serverIdentity: ChannelIdentity;

beforeAll(async () => {
  [clientIdentity, serverIdentity] = await Promise.all([makeIdentity('client'), makeIdentity('server')]);
});

const SECURITY = StatusCodes.BadSecurityChecksFailed;

describe('a secured chunk that was changed on its way', () => {
  it('is refused whichever of its bytes differs, with one code for everything that is encrypted or signed', async () => {
    for (const policy of securePolicies) {
      for (const mode of secureModes) {
        const lengthOf = (await opened(policy, mode)).request(2, pattern(37))[0]?.length as number;
        const codes = new Map<number, number>();
        for (let at = 0; at < lengthOf; at += at < 24 ? 1 : 5) {
          const pair = await opened(policy, mode);
          const [chunk] = pair.request(2, pattern(37)) as [Buffer];
          chunk[at] = (chunk[at] as number) ^ 0x01;
          codes.set(at, await codeOf(() => pair.server.receive(chunk, pair.clock.now)));
          expect(pair.server.isOpen).toBe(false);
        }
        for (const [at, code] of codes) expect(code, `${policy.name} ${mode} byte ${at}`).toBe(expectedCode(at));
      }
    }
  }, 30_000);

  it('is refused when it is cut or extended anywhere', async () => {
    for (const mode of secureModes) {
      const whole = (await opened(SecurityPolicies.Basic256Sha256, mode)).request(2, pattern(37))[0] as Buffer;
      for (let length = 16; length < whole.length; length += 3) {
        const pair = await opened(SecurityPolicies.Basic256Sha256, mode);
        const chunk = Buffer.from((pair.request(2, pattern(37))[0] as Buffer).subarray(0, length));
        expect(await codeOf(() => pair.server.receive(chunk, pair.clock.now)), `${length}`).toBe(SECURITY);
      }
      const pair = await opened(SecurityPolicies.Basic256Sha256, mode);
      const longer = Buffer.concat([pair.request(2, pattern(37))[0] as Buffer, Buffer.alloc(16)]);
      expect(await codeOf(() => pair.server.receive(longer, pair.clock.now))).toBe(SECURITY);
    }
  });

  it('is refused when it was made for the other direction', async () => {
    const pair = await opened(SecurityPolicies.Basic256Sha256, MessageSecurityMode.Sign);
    const [own] = pair.respond(2, pattern(10)) as [Buffer];
    expect(await codeOf(() => pair.toServer([own]))).toBe(SECURITY);
  });

  it('is refused in an OPN of every policy, whichever part differs', async () => {
    for (const policy of securePolicies) {
      const chunk = (await closed(policy).client.open(1))[0] as Buffer;
      const uriEnd = 16 + policy.uri.length;
      const headerEnd = uriEnd + 4 + clientIdentity.certificateChain.length + 4 + 20;
      for (let at = headerEnd; at < chunk.length; at += 61) {
        const pair = closed(policy);
        const [changed] = (await pair.client.open(1)) as [Buffer];
        changed[at] = (changed[at] as number) ^ 0x80;
        expect(await codeOf(() => pair.toServer([changed])), `${policy.name} byte ${at}`).toBe(SECURITY);
        expect(pair.server.isOpen).toBe(false);
      }
      const pair = closed(policy);
      const [changed] = (await pair.client.open(1)) as [Buffer];
      changed[headerEnd - 1] = (changed[headerEnd - 1] as number) ^ 0x01;
      expect(await codeOf(() => pair.toServer([changed]))).toBe(StatusCodes.BadCertificateInvalid);
    }
  }, 30_000);

  it('is refused when an OPN is signed with another key than that of its certificate', async () => {
    const thief = { ...clientIdentity, privateKey: serverIdentity.privateKey };
    const pair = new ChannelPair({
      policy: SecurityPolicies.Aes256_Sha256_RsaPss,
      mode: MessageSecurityMode.Sign,
      clientIdentity: thief,
      serverIdentity,
    });
    expect(await codeOf(() => pair.openServer())).toBe(SECURITY);
  });
});

function closed(policy: (typeof securePolicies)[number], mode: MessageSecurityMode = MessageSecurityMode.Sign): ChannelPair {
  return new ChannelPair({ policy, mode, clientIdentity, serverIdentity });
}

async function opened(policy: (typeof securePolicies)[number], mode: MessageSecurityMode): Promise<ChannelPair> {
  const pair = closed(policy, mode);
  await pair.open();
  return pair;
}

/** The message type decides whether it is read at all; channel and token are looked up before the signature can be checked. */
function expectedCode(at: number): number {
  if (at < 3) return StatusCodes.BadTcpMessageTypeInvalid;
  if (at < 8) return SECURITY;
  if (at < 12) return StatusCodes.BadTcpSecureChannelUnknown;
  if (at < 16) return StatusCodes.BadSecureChannelTokenUnknown;
  return SECURITY;
}
