import {
  type Certificate,
  cipherBytes,
  contentEnd,
  encryptAsymmetric,
  needsExtraPaddingSize,
  type PrivateKeyOperations,
  paddingFieldBytes,
  plainBlockBytes,
  rsaKeyBytes,
  type SecurityPolicy,
  verifyAsymmetric,
  writePadding,
} from '@bulkhead/security';
import { BinaryWriter, DecodingError, StatusCodes, UaStatusError } from '@bulkhead/types';
import { MESSAGE_HEADER_BYTES, writeMessageHeader } from '@bulkhead/uacp';
import { encodeAsymmetricSecurityHeader } from './asymmetric-security-header.ts';
import type { ChannelIdentity } from './channel-identity.ts';
import { SEQUENCE_HEADER_BYTES } from './chunk-layout.ts';

/** Both ends of a secured OPN chunk. */
export interface AsymmetricPeers {
  /** Whose key signs, or decrypts. */
  readonly own: ChannelIdentity;
  /** Whose public key encrypts, or verifies. */
  readonly peer: Certificate;
}

/** What an OPN chunk carries. */
export interface OpenedAsymmetricChunk {
  readonly sequenceNumber: number;
  readonly requestId: number;
  readonly body: Buffer;
}

/** An OPN chunk to be made. */
export interface AsymmetricChunkContent {
  readonly channelId: number;
  readonly policy: SecurityPolicy;
  /** Undefined with SecurityPolicy None. */
  readonly peers: AsymmetricPeers | undefined;
  readonly sequenceNumber: number;
  readonly requestId: number;
  /** Largest chunk in bytes. */
  readonly maxChunkBytes: number;
  writeBody(writer: BinaryWriter): void;
}

/**
 * Decrypts and verifies an OPN chunk; its security header and the peer's certificate are checked already. Every policy but None
 * signs and encrypts it, whatever the MessageSecurityMode. OPC 10000-6 §6.7.4, §6.7.7.
 * @param start offset of the SequenceHeader.
 * @throws UaStatusError (as a rejection) BadSecurityChecksFailed, the same for whatever is wrong; BadServerTooBusy; DecodingError.
 */
export async function openAsymmetricChunk(
  chunk: Buffer,
  start: number,
  policy: SecurityPolicy,
  peers: AsymmetricPeers | undefined,
): Promise<OpenedAsymmetricChunk> {
  if (peers === undefined) return content(chunk, start, chunk.length);
  const { privateKey } = peers.own;
  const plain = await privateKey.decrypt(policy, chunk.subarray(start));
  const signed = Buffer.concat([chunk.subarray(0, start), plain]);
  const signatureStart = signed.length - rsaKeyBytes(peers.peer.publicKey);
  const isAuthentic =
    signatureStart > start &&
    verifyAsymmetric(policy, peers.peer.publicKey, signed.subarray(0, signatureStart), signed.subarray(signatureStart));
  if (!isAuthentic) throw new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'OPN chunk not authentic');
  return content(signed, start, contentEnd(signed, start, signatureStart, needsExtraPaddingSize(privateKey.keySizeBytes)));
}

function content(chunk: Buffer, start: number, end: number): OpenedAsymmetricChunk {
  const bodyStart = start + SEQUENCE_HEADER_BYTES;
  if (end < bodyStart) throw DecodingError.malformed('OPN chunk without SequenceHeader');
  return {
    sequenceNumber: chunk.readUInt32LE(start),
    requestId: chunk.readUInt32LE(start + 4),
    body: chunk.subarray(bodyStart, end),
  };
}

/**
 * Makes an OPN chunk, signed and encrypted unless the policy is None. OPC 10000-6 §6.7.2.5, §6.7.4.
 * @throws UaStatusError (as a rejection) BadTcpMessageTooLarge when it doesn't fit, BadSecurityChecksFailed, BadServerTooBusy.
 */
export async function sealAsymmetricChunk(opn: AsymmetricChunkContent): Promise<Buffer> {
  const withChain = opn.peers?.own.certificateChain ?? null;
  const chunk = await sealWith(opn, withChain);
  if (chunk !== undefined) return chunk;
  // Issuers that don't fit are left out; the receiver has to know them then. OPC 10000-6 §6.7.2.3.
  const alone = opn.peers === undefined ? undefined : await sealWith(opn, opn.peers.own.certificate.der);
  if (alone === undefined) throw new UaStatusError(StatusCodes.BadTcpMessageTooLarge, `OPN chunk of more than ${opn.maxChunkBytes} bytes`);
  return alone;
}

async function sealWith(opn: AsymmetricChunkContent, certificate: Uint8Array | null): Promise<Buffer | undefined> {
  const { peers, policy } = opn;
  const writer = new BinaryWriter(1024, MESSAGE_HEADER_BYTES);
  encodeAsymmetricSecurityHeader(writer, opn.channelId, policy.uri, certificate, peers?.peer.thumbprintBytes ?? null);
  const start = writer.length;
  writer.writeUInt32(opn.sequenceNumber);
  writer.writeUInt32(opn.requestId);
  opn.writeBody(writer);
  if (peers === undefined) {
    const chunk = writer.toBuffer();
    writeMessageHeader(chunk, 'OPN', 'F', chunk.length);
    return chunk.length > opn.maxChunkBytes ? undefined : chunk;
  }
  return secure(writer, start, policy, peers, opn.maxChunkBytes);
}

async function secure(
  writer: BinaryWriter,
  start: number,
  policy: SecurityPolicy,
  peers: AsymmetricPeers,
  maxChunkBytes: number,
): Promise<Buffer | undefined> {
  const privateKey: PrivateKeyOperations = peers.own.privateKey;
  const publicKey = peers.peer.publicKey;
  const keyBytes = rsaKeyBytes(publicKey);
  const hasExtraSize = needsExtraPaddingSize(keyBytes);
  const bodyEnd = writer.length;
  const padding = paddingFieldBytes(bodyEnd - start, privateKey.keySizeBytes, plainBlockBytes(policy, keyBytes), hasExtraSize);
  const plainBytes = bodyEnd - start + padding + privateKey.keySizeBytes;
  const messageSize = start + cipherBytes(policy, keyBytes, plainBytes);
  if (messageSize > maxChunkBytes) return undefined;
  writer.reserve(padding + privateKey.keySizeBytes);
  const plain = writer.toBuffer();
  // The signature covers the header with the size that the encrypted chunk will have.
  writeMessageHeader(plain, 'OPN', 'F', messageSize);
  const signatureStart = writePadding(plain, bodyEnd, padding, hasExtraSize);
  const signature = await privateKey.sign(policy, plain.subarray(0, signatureStart));
  signature.copy(plain, signatureStart);
  return Buffer.concat([plain.subarray(0, start), encryptAsymmetric(policy, publicKey, plain.subarray(start))], messageSize);
}
