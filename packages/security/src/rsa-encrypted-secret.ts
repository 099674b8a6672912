import { randomBytes, timingSafeEqual } from 'node:crypto';
import { BinaryReader, BinaryWriter } from '@bulkhead/types';
import type { Certificate } from './certificate.ts';
import type { DerivedKeys } from './key-derivation.ts';
import { encryptAsymmetric } from './public-key-operations.ts';
import type { SecurityPolicy } from './security-policy.ts';
import { SymmetricKeys } from './symmetric-keys.ts';
import { decryptOrUndefined, type EncryptedUserSecret, type UserSecretContext } from './user-secret-context.ts';

/** TypeId i=17545 as a four-byte NodeId, then encoding mask 1 (ByteString body). */
const HEADER = Buffer.from([0x01, 0x00, 0x89, 0x44, 0x01]);
const LENGTH_BYTES = 4;
const PADDING_SIZE_BYTES = 2;

interface EncryptedSecretFields {
  readonly policyUri: string | null;
  readonly certificateThumbprint: Buffer | null;
  readonly keyData: Buffer;
  readonly payload: Buffer;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

interface SecretPayload {
  readonly nonce: Buffer;
  readonly secret: Buffer;
}

/** Whether the bytes begin like an RsaEncryptedSecret. OPC 10000-4 §7.40.2.3. */
export function isRsaEncryptedSecret(bytes: Uint8Array): boolean {
  return bytes.length > HEADER.length && HEADER.equals(bytes.subarray(0, HEADER.length));
}

/**
 * The secret in an RsaEncryptedSecret, or undefined if anything is wrong with it. OPC 10000-4 §7.40.2.4.
 * The keys come from the RSA part, then the signature over everything is checked before the payload is looked at.
 * @throws UaStatusError (as a rejection) `BadServerTooBusy` when too many private-key operations wait.
 */
export async function decryptRsaEncryptedSecret(bytes: Uint8Array, context: UserSecretContext): Promise<Buffer | undefined> {
  const { policy } = context;
  const fields = readFields(bytes, policy);
  if (fields === undefined || fields.policyUri !== policy.uri || !isForThisServer(fields, context)) return undefined;
  const keyData = await decryptOrUndefined(context, fields.keyData);
  const keys = (keyData && readKeyData(keyData, policy)) ?? noiseKeys(policy);
  const symmetric = new SymmetricKeys(policy, keys);
  const isGenuine = symmetric.verify(fields.signed, fields.signature);
  const payload = readPayload(symmetric.decrypt(fields.payload));
  if (!isGenuine || payload === undefined) return undefined;
  const isFresh = payload.nonce.length === context.serverNonce.length && timingSafeEqual(payload.nonce, context.serverNonce);
  return isFresh ? Buffer.from(payload.secret) : undefined;
}

/**
 * Encrypts a secret as RsaEncryptedSecret (client role).
 * @param signingTime OPC UA DateTime: 100 ns since 1601.
 * @throws UaStatusError `BadSecurityChecksFailed` if the certificate's key can't encrypt.
 */
export function encryptRsaSecret(
  policy: SecurityPolicy,
  server: Certificate,
  secret: Uint8Array,
  serverNonce: Uint8Array,
  signingTime: bigint,
): EncryptedUserSecret {
  const keys: DerivedKeys = noiseKeys(policy);
  const symmetric = new SymmetricKeys(policy, keys);
  const keyData = encryptAsymmetric(policy, server.publicKey, writeKeyData(keys));
  const payload = writePayload(secret, serverNonce, policy.symmetricBlockBytes);
  symmetric.encryptInPlace(payload, 0, payload.length);

  const body = new BinaryWriter();
  body.writeString(policy.uri);
  body.writeByteString(server.thumbprintBytes);
  const time = Buffer.alloc(8);
  time.writeBigInt64LE(signingTime);
  body.writeBytes(time);
  body.writeUInt16(keyData.length);
  body.writeBytes(keyData);
  body.writeBytes(payload);
  const unsigned = Buffer.concat([HEADER, Buffer.alloc(LENGTH_BYTES), body.toBuffer()]);
  unsigned.writeUInt32LE(unsigned.length - HEADER.length - LENGTH_BYTES + policy.symmetricSignatureBytes, HEADER.length);
  return { encryptionAlgorithm: null, secret: Buffer.concat([unsigned, symmetric.sign(unsigned)]) };
}

function readFields(bytes: Uint8Array, policy: SecurityPolicy): EncryptedSecretFields | undefined {
  return attempt(() => {
    const reader = new BinaryReader(bytes.subarray(HEADER.length));
    const length = reader.readUInt32();
    const end = reader.length + length;
    if (end !== reader.end) return undefined;
    const policyUri = reader.readString();
    const certificateThumbprint = reader.readByteString();
    reader.readBuffer(8);
    const keyData = reader.readBuffer(reader.readUInt16());
    const payloadBytes = end - reader.length - policy.symmetricSignatureBytes;
    if (payloadBytes <= 0 || payloadBytes % policy.symmetricBlockBytes !== 0) return undefined;
    const payload = reader.readBuffer(payloadBytes);
    const signature = reader.readBuffer(policy.symmetricSignatureBytes);
    const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return { policyUri, certificateThumbprint, keyData, payload, signed: all.subarray(0, all.length - signature.length), signature };
  });
}

function isForThisServer(fields: EncryptedSecretFields, context: UserSecretContext): boolean {
  const expected = context.certificateThumbprint;
  return expected === undefined || fields.certificateThumbprint === null || fields.certificateThumbprint.equals(expected);
}

function readKeyData(plain: Buffer, policy: SecurityPolicy): DerivedKeys | undefined {
  return attempt(() => {
    const reader = new BinaryReader(plain);
    const signingKey = reader.readByteString();
    const encryptingKey = reader.readByteString();
    const initializationVector = reader.readByteString();
    const isComplete =
      signingKey?.length === policy.signingKeyBytes &&
      encryptingKey?.length === policy.encryptingKeyBytes &&
      initializationVector?.length === policy.symmetricBlockBytes;
    return isComplete ? { signingKey, encryptingKey, initializationVector } : undefined;
  });
}

function writeKeyData(keys: DerivedKeys): Buffer {
  const writer = new BinaryWriter();
  writer.writeByteString(keys.signingKey);
  writer.writeByteString(keys.encryptingKey);
  writer.writeByteString(keys.initializationVector);
  return writer.toBuffer();
}

function readPayload(plain: Buffer): SecretPayload | undefined {
  return attempt(() => {
    const reader = new BinaryReader(plain);
    const nonce = reader.readByteString();
    const secret = reader.readByteString();
    const paddingSize = plain.readUInt16LE(plain.length - PADDING_SIZE_BYTES);
    if (nonce === null || reader.remaining !== paddingSize + PADDING_SIZE_BYTES) return undefined;
    return { nonce, secret: secret ?? Buffer.alloc(0) };
  });
}

function writePayload(secret: Uint8Array, nonce: Uint8Array, blockBytes: number): Buffer {
  const writer = new BinaryWriter();
  writer.writeByteString(nonce);
  writer.writeByteString(secret);
  const content = writer.toBuffer();
  const unpadded = content.length + PADDING_SIZE_BYTES;
  const paddingSize = (blockBytes - (unpadded % blockBytes)) % blockBytes;
  const payload = Buffer.alloc(unpadded + paddingSize, paddingSize & 0xff);
  content.copy(payload);
  payload.writeUInt16LE(paddingSize, payload.length - PADDING_SIZE_BYTES);
  return payload;
}

function noiseKeys(policy: SecurityPolicy): DerivedKeys {
  return {
    signingKey: randomBytes(policy.signingKeyBytes),
    encryptingKey: randomBytes(policy.encryptingKeyBytes),
    initializationVector: randomBytes(policy.symmetricBlockBytes),
  };
}

/** Undefined for bytes that don't decode. */
function attempt<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
