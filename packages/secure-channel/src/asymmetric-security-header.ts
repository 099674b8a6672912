import { BinaryReader, type BinaryWriter, DecodingError, defaultEncodingLimits, type EncodingLimits } from '@bulkhead/types';
import { CHANNEL_ID_OFFSET } from './chunk-layout.ts';

/** Longest SecurityPolicyUri in bytes. OPC 10000-6 §6.7.2.3. */
export const MAX_POLICY_URI_BYTES = 255;
/** The thumbprint is a SHA-1 hash. OPC 10000-6 §6.7.2.3. */
const THUMBPRINT_BYTES = 20;

const limits: EncodingLimits = { ...defaultEncodingLimits, maxStringBytes: MAX_POLICY_URI_BYTES, maxByteStringBytes: 65_536 };

/** What an OPN chunk says before its encrypted part. OPC 10000-6 §6.7.2.2, §6.7.2.3. */
export interface AsymmetricSecurityHeader {
  /** 0 in the first request of a channel. */
  readonly channelId: number;
  /** Empty when none is given. */
  readonly securityPolicyUri: string;
  /** The sender's certificate, possibly followed by its issuers (DER); undefined when none is given. */
  readonly senderCertificate: Buffer | undefined;
  /** SHA-1 thumbprint of the receiver's certificate; undefined when none is given. */
  readonly receiverCertificateThumbprint: Buffer | undefined;
  /** Offset in the chunk at which the SequenceHeader, encrypted or not, starts. */
  readonly endOffset: number;
}

/** @throws DecodingError, also for a SecurityPolicyUri of more than 255 bytes and a thumbprint that has not 20 bytes. */
export function decodeAsymmetricSecurityHeader(chunk: Buffer): AsymmetricSecurityHeader {
  const reader = new BinaryReader(chunk, limits);
  reader.take(CHANNEL_ID_OFFSET);
  const channelId = reader.readUInt32();
  const securityPolicyUri = reader.readString() ?? '';
  const senderCertificate = readOptional(reader);
  const receiverCertificateThumbprint = readOptional(reader);
  if (receiverCertificateThumbprint && receiverCertificateThumbprint.length !== THUMBPRINT_BYTES) {
    throw DecodingError.malformed(`thumbprint of ${receiverCertificateThumbprint.length} bytes`);
  }
  return { channelId, securityPolicyUri, senderCertificate, receiverCertificateThumbprint, endOffset: reader.length };
}

/** Writes the header; the writer stands behind MessageType and MessageSize. */
export function encodeAsymmetricSecurityHeader(
  writer: BinaryWriter,
  channelId: number,
  securityPolicyUri: string,
  senderCertificate: Uint8Array | null,
  receiverCertificateThumbprint: Uint8Array | null,
): void {
  writer.writeUInt32(channelId);
  writer.writeString(securityPolicyUri);
  writer.writeByteString(senderCertificate);
  writer.writeByteString(receiverCertificateThumbprint);
}

/** A length of 0 means the same as -1 here. OPC 10000-6 §6.7.2.3. */
function readOptional(reader: BinaryReader): Buffer | undefined {
  const bytes = reader.readByteString();
  return bytes === null || bytes.length === 0 ? undefined : bytes;
}
