import { type StatusCode, statusCodeEntry } from '@bulkhead/types';
import { encodeErrorMessage } from '@bulkhead/uacp';

/** The ERR chunk for a StatusCode. The text is the specification's: nothing about this server's insides goes out. */
export function errorReply(error: StatusCode): Buffer {
  return encodeErrorMessage({ error, reason: statusCodeEntry(error)?.description ?? '' });
}

/** For the log. */
export function nameOfStatus(status: StatusCode): string {
  return statusCodeEntry(status)?.name ?? `0x${status.toString(16)}`;
}
