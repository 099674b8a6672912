import { baseStatusCode, type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import { type AttemptFailure, ReconnectPolicy } from '../reconnect/reconnect-policy.ts';
import { retryAfterMsOf } from '../service-result-error.ts';

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

/** Answers that mean that the Session is gone though its connection isn't. */
const SESSION_GONE_CODES: ReadonlySet<StatusCode> = new Set([
  StatusCodes.BadSessionIdInvalid,
  StatusCodes.BadSessionClosed,
  StatusCodes.BadSessionNotActivated,
]);

/** Whether a request failed because the server doesn't have its Session any more. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof UaStatusError && SESSION_GONE_CODES.has(error.statusCode);
}

/** What the reconnect policy has to know of an error. */
export function failureOf(error: UaStatusError): AttemptFailure {
  return { statusCode: error.statusCode, retryAfterMs: retryAfterMsOf(error) };
}

/** Whether a connection ended because the server is busy; a keep-alive that timed out says nothing of the kind. */
export function isBusy(error: UaStatusError): boolean {
  if (retryAfterMsOf(error) !== undefined) return true;
  return error.statusCode !== StatusCodes.BadTimeout && ReconnectPolicy.isServerBusySignal(error.statusCode);
}

/** Anything that was thrown, as the reason of a session's loss. */
export function asStatusError(error: unknown): UaStatusError {
  if (error instanceof UaStatusError) return error;
  return new UaStatusError(StatusCodes.BadUnexpectedError, 'the session failed', { cause: error });
}
