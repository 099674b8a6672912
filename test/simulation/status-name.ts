import { statusCodeEntry } from '@bulkhead/types';

export function statusNameOf(status: number): string {
  return statusCodeEntry(status)?.name ?? `0x${status.toString(16)}`;
}
