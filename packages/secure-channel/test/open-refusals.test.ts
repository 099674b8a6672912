import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { SecurityPolicies, type SecurityPolicy } from '@bulkhead/security';
import {
  type BinaryWriter,
  CloseSecureChannelRequest,
  MessageSecurityMode,
  OpenSecureChannelRequest,
  SecurityTokenRequestType,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sealAsymmetricChunk } from '../src/asymmetric-chunk.ts';
import { writeServiceMessage } from '../src/open-secure-channel.ts';
import { ChannelPair, codeOf, makeIdentity, type PairOptions, pattern, TestRandom } from './channel-pair.ts';

let clientIdentity: ChannelIdentity;
let serverIdentity: ChannelIdentity;
let otherIdentity: ChannelIdentity;

beforeAll(async () => {
  [clientIdentity, serverIdentity, otherIdentity] = await Promise.all([
    makeIdentity('client'),
    makeIdentity('server'),
    makeIdentity('other'),
  ]);
});

const secure = SecurityPolicies.Basic256Sha256;
const nonce = (seed: string): Buffer => new TestRandom(seed).bytes(32);

function securePair(options: PairOptions = {}): ChannelPair {
  return new ChannelPair({ policy: secure, mode: MessageSecurityMode.Sign, clientIdentity, serverIdentity, ...options });
}

interface Opn {
  readonly channelId?: number;
  readonly policy?: SecurityPolicy;
  readonly own?: ChannelIdentity;
  readonly sequenceNumber?: number;
  readonly request?: Partial<OpenSecureChannelRequest>;
  readonly writeBody?: (writer: BinaryWriter) => void;
}

/** An OPN request made by hand. */
function opn(parts: Opn = {}): Promise<Buffer> {
  const policy = parts.policy ?? secure;
  const request = OpenSecureChannelRequest.create({
    securityMode: policy.isSecure ? MessageSecurityMode.Sign : MessageSecurityMode.None,
    clientNonce: policy.isSecure ? nonce('by hand') : null,
    requestedLifetime: 10_000,
    ...parts.request,
  });
  return sealAsymmetricChunk({
    channelId: parts.channelId ?? 0,
    policy,
    peers: policy.isSecure ? { own: parts.own ?? clientIdentity, peer: serverIdentity.certificate } : undefined,
    sequenceNumber: parts.sequenceNumber ?? 1,
    requestId: 1,
    maxChunkBytes: 8192,
    writeBody: parts.writeBody ?? ((writer) => writeServiceMessage(writer, OpenSecureChannelRequest, request)),
  });
}

async function refusal(parts: Opn, pair: ChannelPair = securePair()): Promise<number> {
  const chunk = await opn(parts);
  const code = await codeOf(() => pair.toServer([chunk]));
  if (code !== StatusCodes.Good) {
    expect(pair.server.isOpen).toBe(false);
    expect(pair.server.nextDeadlineMs()).toBe(Number.POSITIVE_INFINITY);
  }
  return code;
}

async function renewalRefusal(parts: Opn): Promise<number> {
  const pair = securePair();
  await pair.toServer([await opn()]);
  expect(pair.server.isOpen).toBe(true);
  const request = { requestType: SecurityTokenRequestType.Renew, clientNonce: nonce('another'), ...parts.request };
  return refusal({ channelId: 77, sequenceNumber: 2, ...parts, request }, pair);
}

describe('a request to open a channel', () => {
  it('is granted when nothing is wrong with it', async () => {
    expect(await refusal({})).toBe(StatusCodes.Good);
    expect(await renewalRefusal({})).toBe(StatusCodes.Good);
  });

  it('is refused for a SecurityPolicy that is unknown or not offered', async () => {
    const unknown = { ...SecurityPolicies.None, uri: 'http://opcfoundation.org/UA/SecurityPolicy#Basic128Rsa15' };
    expect(await refusal({ policy: unknown })).toBe(StatusCodes.BadSecurityPolicyRejected);
    expect(await refusal({ policy: { ...SecurityPolicies.None, uri: '' } })).toBe(StatusCodes.BadSecurityPolicyRejected);
    const noneOnly = securePair({ endpoints: { securityModes: (policy) => (policy.isSecure ? [] : [MessageSecurityMode.None]) } });
    expect(await refusal({}, noneOnly)).toBe(StatusCodes.BadSecurityPolicyRejected);
    const secureOnly = securePair({ endpoints: { securityModes: (policy) => (policy.isSecure ? [MessageSecurityMode.Sign] : []) } });
    expect(await refusal({ policy: SecurityPolicies.None }, secureOnly)).toBe(StatusCodes.BadSecurityPolicyRejected);
  });

  it('is refused for a SecurityPolicyUri of more than 255 bytes', async () => {
    expect(await refusal({ policy: { ...SecurityPolicies.None, uri: 'x'.repeat(255) } })).toBe(StatusCodes.BadSecurityPolicyRejected);
    const tooLong = await refusal({ policy: { ...SecurityPolicies.None, uri: 'x'.repeat(256) } });
    expect(tooLong).toBe(StatusCodes.BadEncodingLimitsExceeded);
  });

  it('is refused for a mode that is invalid, not offered or does not go with the policy', async () => {
    const { None, Sign, SignAndEncrypt, Invalid } = MessageSecurityMode;
    const modes = (policy: SecurityPolicy): MessageSecurityMode[] => (policy.isSecure ? [Sign] : [None]);
    const withMode = (securityMode: number, policy: SecurityPolicy): Promise<number> =>
      refusal(
        { policy, request: { securityMode: securityMode as MessageSecurityMode } },
        securePair({ endpoints: { securityModes: modes } }),
      );
    expect(await withMode(Sign, secure)).toBe(StatusCodes.Good);
    for (const mode of [Invalid, None, SignAndEncrypt, 4, -1]) {
      expect(await withMode(mode, secure)).toBe(StatusCodes.BadSecurityModeRejected);
    }
    expect(await withMode(None, SecurityPolicies.None)).toBe(StatusCodes.Good);
    for (const mode of [Invalid, Sign, SignAndEncrypt]) {
      expect(await withMode(mode, SecurityPolicies.None)).toBe(StatusCodes.BadSecurityModeRejected);
    }
    const careless = securePair({ endpoints: { securityModes: () => [Invalid, None, Sign, SignAndEncrypt] } });
    expect(await refusal({ request: { securityMode: None } }, careless)).toBe(StatusCodes.BadSecurityModeRejected);
  });

  it('is refused for a nonce that has another length or is all zero', async () => {
    for (const clientNonce of [
      null,
      Buffer.alloc(0),
      nonce('a').subarray(1),
      Buffer.concat([nonce('a'), Buffer.of(1)]),
      Buffer.alloc(32),
    ]) {
      expect(await refusal({ request: { clientNonce } })).toBe(StatusCodes.BadNonceInvalid);
    }
  });

  it('is refused when its ProtocolVersion is not that of the Hello', async () => {
    expect(await refusal({ request: { clientProtocolVersion: 1 } })).toBe(StatusCodes.BadProtocolVersionUnsupported);
  });

  it('is refused when it names a channel or asks for a renewal', async () => {
    expect(await refusal({ channelId: 5 })).toBe(StatusCodes.BadTcpSecureChannelUnknown);
    expect(await refusal({ channelId: 77 })).toBe(StatusCodes.BadTcpSecureChannelUnknown);
    expect(await refusal({ request: { requestType: SecurityTokenRequestType.Renew } })).toBe(StatusCodes.BadRequestTypeInvalid);
    expect(await refusal({ request: { requestType: 2 as SecurityTokenRequestType } })).toBe(StatusCodes.BadRequestTypeInvalid);
  });

  it('is refused when it is made for another certificate', async () => {
    const pair = securePair({ serverIdentity: otherIdentity });
    expect(await refusal({}, pair)).toBe(StatusCodes.BadCertificateInvalid);
  });

  it('is refused without certificate or thumbprint', async () => {
    const chunk = await opn();
    const uriEnd = 16 + secure.uri.length;
    const without = Buffer.concat([chunk.subarray(0, uriEnd), Buffer.alloc(8, 0xff), chunk.subarray(uriEnd)]);
    expect(await codeOf(() => securePair().toServer([without]))).toBe(StatusCodes.BadCertificateInvalid);
  });

  it('is refused when it carries anything but an OpenSecureChannel request', async () => {
    const writeBody = (writer: BinaryWriter): void =>
      writeServiceMessage(writer, CloseSecureChannelRequest, CloseSecureChannelRequest.create());
    expect(await refusal({ writeBody })).toBe(StatusCodes.BadDecodingError);
    expect(await refusal({ writeBody: () => undefined })).toBe(StatusCodes.BadDecodingError);
  });

  it('is refused with a decoding error wherever an unsecured one is cut', async () => {
    const chunk = await opn({ policy: SecurityPolicies.None });
    for (let length = 8; length < chunk.length; length++) {
      expect(await codeOf(() => securePair().toServer([chunk.subarray(0, length)]))).toBe(StatusCodes.BadDecodingError);
    }
  });

  it('tells an untrusted client no more than that, and keeps the reason for the log', async () => {
    const hidden: number[] = [
      StatusCodes.BadCertificateUntrusted,
      StatusCodes.BadCertificateChainIncomplete,
      StatusCodes.BadCertificateRevoked,
      StatusCodes.BadCertificateIssuerRevoked,
      StatusCodes.BadCertificateInvalid,
      StatusCodes.BadCertificatePolicyCheckFailed,
    ];
    const shown: number[] = [
      StatusCodes.BadCertificateTimeInvalid,
      StatusCodes.BadCertificateUseNotAllowed,
      StatusCodes.BadCertificateUriInvalid,
      StatusCodes.BadCertificateRevocationUnknown,
    ];
    for (const precise of [...hidden, ...shown]) {
      const validateClientCertificate = (): Promise<void> => Promise.reject(new UaStatusError(precise, 'why'));
      const error = await securePair({ endpoints: { validateClientCertificate } })
        .openServer()
        .then(
          () => undefined,
          (reason: UaStatusError) => reason,
        );
      expect(error?.statusCode).toBe(hidden.includes(precise) ? StatusCodes.BadSecurityChecksFailed : precise);
      if (hidden.includes(precise)) expect(error?.cause).toMatchObject({ statusCode: precise });
    }
  });

  it('does no work with the server key for a client that is not trusted', async () => {
    let decryptions = 0;
    const { privateKey } = serverIdentity;
    const counting = {
      keySizeBytes: privateKey.keySizeBytes,
      sign: privateKey.sign.bind(privateKey),
      decrypt: (policy: SecurityPolicy, data: Uint8Array) => {
        decryptions++;
        return privateKey.decrypt(policy, data);
      },
    };
    const validateClientCertificate = (): Promise<void> => Promise.reject(new UaStatusError(StatusCodes.BadCertificateUntrusted, ''));
    const pair = securePair({ serverIdentity: { ...serverIdentity, privateKey: counting }, endpoints: { validateClientCertificate } });
    expect(await codeOf(() => pair.openServer())).toBe(StatusCodes.BadSecurityChecksFailed);
    expect(decryptions).toBe(0);
  });
});

describe('a client', () => {
  it('has no channel any more when its request can’t be signed: the SequenceNumber of that is used up', async () => {
    const pair = securePair();
    await pair.open();
    const { privateKey } = clientIdentity;
    vi.spyOn(privateKey, 'sign').mockRejectedValueOnce(new UaStatusError(StatusCodes.BadServerTooBusy, ''));
    expect(await codeOf(() => pair.client.renew(9))).toBe(StatusCodes.BadServerTooBusy);
    expect(pair.client.isOpen).toBe(false);
    expect(await codeOf(() => pair.client.encodeMessage(10, () => {}, 1000))).toBe(StatusCodes.BadSecureChannelClosed);
  });
});

describe('a request to renew a channel', () => {
  it('is refused when it asks for a new channel', async () => {
    expect(await renewalRefusal({ request: { requestType: SecurityTokenRequestType.Issue } })).toBe(StatusCodes.BadRequestTypeInvalid);
    expect(await renewalRefusal({ channelId: 0 })).toBe(StatusCodes.BadRequestTypeInvalid);
    expect(await renewalRefusal({ channelId: 78 })).toBe(StatusCodes.BadTcpSecureChannelUnknown);
  });

  it('is refused when policy, mode or certificate differ from what opened the channel', async () => {
    expect(await renewalRefusal({ policy: SecurityPolicies.None })).toBe(StatusCodes.BadSecurityPolicyRejected);
    expect(await renewalRefusal({ policy: SecurityPolicies.Aes256_Sha256_RsaPss })).toBe(StatusCodes.BadSecurityPolicyRejected);
    const securityMode = MessageSecurityMode.SignAndEncrypt;
    expect(await renewalRefusal({ request: { securityMode } })).toBe(StatusCodes.BadSecurityModeRejected);
    expect(await renewalRefusal({ own: otherIdentity })).toBe(StatusCodes.BadSecurityChecksFailed);
  });

  it('is refused when it uses the nonce again', async () => {
    expect(await renewalRefusal({ request: { clientNonce: nonce('by hand') } })).toBe(StatusCodes.BadNonceInvalid);
  });

  it('is refused out of sequence', async () => {
    expect(await renewalRefusal({ sequenceNumber: 3 })).toBe(StatusCodes.BadSequenceNumberInvalid);
    expect(await renewalRefusal({ sequenceNumber: 1 })).toBe(StatusCodes.BadSequenceNumberInvalid);
  });

  it('is refused once the client is no longer trusted', async () => {
    let isTrusted = true;
    const validateClientCertificate = (): Promise<void> =>
      isTrusted ? Promise.resolve() : Promise.reject(new UaStatusError(StatusCodes.BadCertificateUntrusted, ''));
    const pair = securePair({ endpoints: { validateClientCertificate } });
    await pair.open();
    await pair.open(2);
    isTrusted = false;
    expect(await codeOf(() => pair.open(3))).toBe(StatusCodes.BadSecurityChecksFailed);
  });

  it('goes on with the certificate that opened the channel when the server has a new one', async () => {
    let identity = serverIdentity;
    const pair = securePair({ endpoints: { identity: () => identity } });
    await pair.open();
    identity = otherIdentity;
    await pair.open(2);
    expect(await pair.exchange(3, pattern(10))).toEqual(pattern(10));
  });
});

describe('a channel that is not open', () => {
  it('takes no messages, and a closed one takes nothing', async () => {
    const open = new ChannelPair();
    await open.open();
    const [message] = open.request(2, pattern(1)) as [Buffer];
    const fresh = new ChannelPair();
    expect(await codeOf(() => fresh.toServer([message]))).toBe(StatusCodes.BadTcpSecureChannelUnknown);
    expect(await codeOf(async () => fresh.toServer([await opn({ policy: SecurityPolicies.None })]))).toBe(
      StatusCodes.BadSecureChannelClosed,
    );
    expect(await codeOf(() => fresh.respond(1, pattern(1)))).toBe(StatusCodes.BadSecureChannelClosed);
    fresh.server.dispose();
    fresh.server.dispose();
  });

  it('refuses message types that do not belong on it', async () => {
    for (const type of ['HELF', 'ACKF', 'ERRF', 'RHEF', 'XXXF']) {
      const chunk = Buffer.alloc(32);
      chunk.write(type, 'latin1');
      expect(await codeOf(() => new ChannelPair().toServer([chunk]))).toBe(StatusCodes.BadTcpMessageTypeInvalid);
    }
  });

  it('never opens when it is disposed while the answer is being signed', async () => {
    const pair = securePair();
    const opening = pair.openServer();
    setImmediate(() => pair.server.dispose());
    expect(await codeOf(() => opening)).toBe(StatusCodes.BadSecureChannelClosed);
    expect(pair.server.isOpen).toBe(false);
    expect(pair.server.nextDeadlineMs()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('an answer to OpenSecureChannel', () => {
  it('is refused by the client when another server made it', async () => {
    const pair = securePair();
    const impostor = new ChannelPair({ policy: secure, mode: MessageSecurityMode.Sign, clientIdentity, serverIdentity: otherIdentity });
    await pair.client.open(1);
    const event = await impostor.openServer();
    if (event.kind !== 'opened') throw new Error('not opened');
    expect(await codeOf(() => pair.toClient(event.chunks))).toBe(StatusCodes.BadCertificateInvalid);
    expect(pair.client.isOpen).toBe(false);
  });

  it('is refused by the client when it answers another request, or none', async () => {
    const [pair, other] = [new ChannelPair(), new ChannelPair()];
    await pair.client.open(1);
    const event = await other.openServer(2);
    if (event.kind !== 'opened') throw new Error('not opened');
    expect(await codeOf(() => pair.toClient(event.chunks))).toBe(StatusCodes.BadUnknownResponse);
    expect(await codeOf(() => new ChannelPair().toClient(event.chunks))).toBe(StatusCodes.BadTcpMessageTypeInvalid);
  });
});
