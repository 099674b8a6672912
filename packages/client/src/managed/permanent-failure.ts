import { baseStatusCode, type StatusCode, StatusCodes } from '@bulkhead/types';

/**
 * What the same client would be told again and again. A first connect ends with these, so that a wrong password isn't tried until the
 * account is locked; a session that once worked goes on trying, for the server may have been changed only for a while.
 */
const PERMANENT_CODES: ReadonlySet<StatusCode> = new Set([
  StatusCodes.BadCertificateChainIncomplete,
  StatusCodes.BadCertificateHostNameInvalid,
  StatusCodes.BadCertificateInvalid,
  StatusCodes.BadCertificatePolicyCheckFailed,
  StatusCodes.BadCertificateRevoked,
  StatusCodes.BadCertificateTimeInvalid,
  StatusCodes.BadCertificateUntrusted,
  StatusCodes.BadCertificateUriInvalid,
  StatusCodes.BadCertificateUseNotAllowed,
  StatusCodes.BadApplicationSignatureInvalid,
  StatusCodes.BadConfigurationError,
  StatusCodes.BadIdentityTokenInvalid,
  StatusCodes.BadIdentityTokenRejected,
  StatusCodes.BadSecurityChecksFailed,
  StatusCodes.BadSecurityModeInsufficient,
  StatusCodes.BadSecurityModeRejected,
  StatusCodes.BadSecurityPolicyRejected,
  StatusCodes.BadServiceUnsupported,
  StatusCodes.BadTcpEndpointUrlInvalid,
  StatusCodes.BadUserAccessDenied,
]);

/** Whether trying again the same way makes no sense. */
export function isPermanentFailure(statusCode: StatusCode): boolean {
  return PERMANENT_CODES.has(baseStatusCode(statusCode));
}
