import { findSecurityPolicy, type SecurityPolicy } from '@bulkhead/security';
import {
  BinaryReader,
  type BinaryWriter,
  DecodingError,
  decodeNodeId,
  encodeNodeId,
  isBad,
  NodeId,
  OpenSecureChannelRequest,
  OpenSecureChannelResponse,
  ServiceFault,
  type StatusCode,
  StatusCodes,
  type StructureType,
  UaStatusError,
} from '@bulkhead/types';
import { MAX_REASON_BYTES } from '@bulkhead/uacp';

/** Writes a service message: the NodeId of its encoding, then its fields. OPC 10000-6 §5.2.9. */
export function writeServiceMessage<T>(writer: BinaryWriter, type: StructureType<T>, message: T): void {
  encodeNodeId(writer, NodeId.numeric(0, type.binaryEncodingId));
  type.encode(writer, message);
}

/** @throws DecodingError when the body is anything else. */
export function decodeOpenSecureChannelRequestMessage(body: Buffer): OpenSecureChannelRequest {
  const reader = new BinaryReader(body);
  const typeId = decodeNodeId(reader);
  if (!typeId.equals(NodeId.numeric(0, OpenSecureChannelRequest.binaryEncodingId)))
    throw DecodingError.malformed(`OPN with ${typeId.toString()}`);
  return OpenSecureChannelRequest.decode(reader);
}

/** @throws UaStatusError with the code of a ServiceFault or of a bad ServiceResult; DecodingError. */
export function decodeOpenSecureChannelResponseMessage(body: Buffer): OpenSecureChannelResponse {
  const reader = new BinaryReader(body);
  const typeId = decodeNodeId(reader);
  if (typeId.equals(NodeId.numeric(0, ServiceFault.binaryEncodingId))) {
    throw new UaStatusError(ServiceFault.decode(reader).responseHeader.serviceResult, 'OpenSecureChannel answered with a ServiceFault');
  }
  if (!typeId.equals(NodeId.numeric(0, OpenSecureChannelResponse.binaryEncodingId)))
    throw DecodingError.malformed(`OPN with ${typeId.toString()}`);
  const response = OpenSecureChannelResponse.decode(reader);
  const { serviceResult } = response.responseHeader;
  if (isBad(serviceResult)) throw new UaStatusError(serviceResult, 'OpenSecureChannel failed');
  return response;
}

/** @throws UaStatusError BadSecurityPolicyRejected for a policy that isn't known. */
export function securityPolicyOf(uri: string): SecurityPolicy {
  const policy = findSecurityPolicy(uri);
  if (policy === undefined) throw new UaStatusError(StatusCodes.BadSecurityPolicyRejected, 'unknown SecurityPolicy');
  return policy;
}

/** Reads the body of an abort chunk; a reason of more than 4,096 bytes is ignored. OPC 10000-6 §6.7.3. @throws DecodingError */
export function decodeAbort(body: Buffer): { readonly statusCode: StatusCode; readonly reason: string } {
  const reader = new BinaryReader(body);
  const statusCode = reader.readUInt32();
  const reason = reader.readString() ?? '';
  return { statusCode, reason: Buffer.byteLength(reason) > MAX_REASON_BYTES ? '' : reason };
}
