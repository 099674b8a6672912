import { type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import { decodeErrorMessage } from '@bulkhead/uacp';
import { retryAfterOfReason } from '../retry-after.ts';
import { ServiceResultError, statusText } from '../service-result-error.ts';

/** What an ERR message says. @throws DecodingError */
export function serverError(chunk: Buffer): ServiceResultError {
  const { error, reason } = decodeErrorMessage(chunk);
  return new ServiceResultError(error, `the server closed the connection: ${statusText(error)} ${reason}`, retryAfterOfReason(reason));
}

/** What an abort chunk says in the place of a response. */
export function abortedResponse(statusCode: StatusCode, reason: string): ServiceResultError {
  return new ServiceResultError(statusCode, `${statusText(statusCode)}: ${reason}`, retryAfterOfReason(reason));
}

/** Anything that was thrown, as the reason of a connection's end. */
export function asStatusError(error: unknown): UaStatusError {
  if (error instanceof UaStatusError) return error;
  return new UaStatusError(StatusCodes.BadInternalError, 'the connection failed', { cause: error });
}
