import { StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * Certificate faults that a peer is told as they are: it can do something about them, and they tell nothing about whom we trust.
 * OPC 10000-4 §5.6.2.3 and §6.1.3; whatever else is wrong becomes BadSecurityChecksFailed.
 */
const tellable: ReadonlySet<number> = new Set([
  StatusCodes.BadCertificateTimeInvalid,
  StatusCodes.BadCertificateIssuerTimeInvalid,
  StatusCodes.BadCertificateHostNameInvalid,
  StatusCodes.BadCertificateUriInvalid,
  StatusCodes.BadCertificateUseNotAllowed,
  StatusCodes.BadCertificateIssuerUseNotAllowed,
  StatusCodes.BadCertificateRevocationUnknown,
  StatusCodes.BadServerTooBusy,
]);

/** The error for the wire; the precise one is its cause. */
export function certificateRefusal(error: unknown): UaStatusError {
  if (error instanceof UaStatusError && tellable.has(error.statusCode)) return error;
  return new UaStatusError(StatusCodes.BadSecurityChecksFailed, 'certificate refused', { cause: error });
}
