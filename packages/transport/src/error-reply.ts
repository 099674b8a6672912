import { type StatusCode, StatusCodes, statusCodeEntry } from '@bulkhead/types';
import { encodeErrorMessage } from '@bulkhead/uacp';

/** When a peer that was refused for want of capacity should come back, ms. */
const BUSY_RETRY_AFTER_MS = 1000;

/**
 * The ERR chunk for a StatusCode. The text is the specification's: nothing about this server's insides goes out. To a server that is
 * too busy it adds when to try again.
 */
export function errorReply(error: StatusCode): Buffer {
  const description = statusCodeEntry(error)?.description ?? '';
  const reason = error === StatusCodes.BadServerTooBusy ? `${description} RetryAfterMs=${BUSY_RETRY_AFTER_MS}` : description;
  return encodeErrorMessage({ error, reason });
}

/** For the log. */
export function nameOfStatus(status: StatusCode): string {
  return statusCodeEntry(status)?.name ?? `0x${status.toString(16)}`;
}
