import { SecurityPolicies, type SecurityPolicy } from '@bulkhead/security';
import type { SecuredUacpPeer } from '@bulkhead/testkit';
import { GetEndpointsRequest, GetEndpointsResponse, MessageSecurityMode } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileTest } from './bystander.ts';
import { type ClientIdentity, makeIdentity, openSecured } from './secured-client.ts';
import { statusName } from './status-names.ts';

const policies = [SecurityPolicies.Basic256Sha256, SecurityPolicies.Aes128_Sha256_RsaOaep, SecurityPolicies.Aes256_Sha256_RsaPss] as const;
const { Sign, SignAndEncrypt } = MessageSecurityMode;
const HEADER_BYTES = 16;

let hostile: HostileTest;
let identity: ClientIdentity;

beforeAll(async () => {
  identity = await makeIdentity('client');
  hostile = await HostileTest.start({
    security: { policies: ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] },
    pki: { autoAcceptUntrustedCertificates: true },
  });
});

afterAll(() => hostile.end());

function open(policy: SecurityPolicy, mode: MessageSecurityMode, requestedLifetimeMs = 60_000): Promise<SecuredUacpPeer> {
  const serverCertificate = hostile.test.server.certificateStore.certificate;
  return openSecured({ port: hostile.port, policy, mode, identity, serverCertificate, requestedLifetimeMs });
}

function requestChunk(peer: SecuredUacpPeer): Buffer {
  return peer.encodeRequest(GetEndpointsRequest, {}).chunks[0] as Buffer;
}

async function refusal(peer: SecuredUacpPeer, ...chunks: Buffer[]): Promise<string> {
  peer.raw.send(...chunks);
  const { error, reason } = await peer.raw.nextError();
  await peer.raw.closed;
  return `${statusName(error)}: ${reason}`;
}

describe.each(policies)('a chunk secured with $name that was tampered with', (policy) => {
  it('is refused with the same answer whatever part of it differs', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const answers = new Set<string>();
      for (const mode of [Sign, SignAndEncrypt]) {
        const { length } = requestChunk(await opened(policy, mode));
        // Sequence header, body, padding (encrypted only) and signature.
        for (const at of [HEADER_BYTES, HEADER_BYTES + 8, length - policy.symmetricSignatureBytes - 1, length - 1]) {
          const peer = await open(policy, mode);
          const chunk = requestChunk(peer);
          chunk[at] = (chunk[at] as number) ^ 0x01;
          answers.add(await refusal(peer, chunk));
        }
        const cutPeer = await open(policy, mode);
        answers.add(await refusal(cutPeer, shortened(requestChunk(cutPeer), policy.symmetricBlockBytes)));
      }
      expect([...answers]).toHaveLength(1);
      expect([...answers][0]).toMatch(/^BadSecurityChecksFailed: /u);
    });
  });

  it('is refused when it is sent again, or too late, or ahead of its time', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const replaying = await open(policy, SignAndEncrypt);
      const { requestId, chunks } = replaying.encodeRequest(GetEndpointsRequest, {});
      replaying.raw.send(...chunks);
      (await replaying.response(requestId)).decode(GetEndpointsResponse);
      expect(await refusal(replaying, ...chunks)).toMatch(/^BadSequenceNumberInvalid: /u);

      const reordering = await open(policy, Sign);
      requestChunk(reordering);
      expect(await refusal(reordering, requestChunk(reordering))).toMatch(/^BadSequenceNumberInvalid: /u);
    });
  });

  it('is refused on another channel of the same client', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const [one, other] = [await open(policy, Sign), await open(policy, Sign)];
      const chunk = requestChunk(one);
      chunk.writeUInt32LE(other.channel.channelId, 8);
      expect(await refusal(other, chunk)).toMatch(/^BadSecurityChecksFailed: /u);
      await one.raw.destroy();
    });
  });
});

describe('SecurityTokens', () => {
  const policy = SecurityPolicies.Basic256Sha256;

  it('are refused once the client has used a newer one', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await open(policy, SignAndEncrypt);
      const late = requestChunk(peer);
      peer.raw.send(late);
      await peer.renew();
      await peer.request(GetEndpointsRequest, {}, GetEndpointsResponse);
      expect(await refusal(peer, late)).toMatch(/^BadSecureChannelTokenUnknown: /u);
    });
  });

  it('end with the channel when they are not renewed in time, and requests with them', async () => {
    await hostile.costsOnlyItsSender(async () => {
      const peer = await open(policy, Sign, 1);
      const { error } = await peer.raw.nextError();
      expect(statusName(error)).toBe('BadSecureChannelTokenUnknown');
      await peer.raw.closed;
    });
  });
});

async function opened(policy: SecurityPolicy, mode: MessageSecurityMode): Promise<SecuredUacpPeer> {
  const peer = await open(policy, mode);
  setImmediate(() => void peer.raw.destroy());
  return peer;
}

function shortened(chunk: Buffer, byBytes: number): Buffer {
  const short = Buffer.from(chunk.subarray(0, chunk.length - byBytes));
  short.writeUInt32LE(short.length, 4);
  return short;
}
