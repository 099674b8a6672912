import { TimeZoneDataType, type Variant } from '@bulkhead/types';
import { structure } from './standard-nodes.ts';

const JANUARY = 0;
const JULY = 6;

/** The host's time zone at an instant. OPC 10000-3 §8.28. */
export function localTimeZone(unixMs: number): Variant {
  const now = new Date(unixMs);
  const offset = minutesAheadOfUtc(now);
  const year = now.getFullYear();
  const standard = Math.min(minutesAheadOfUtc(new Date(year, JANUARY, 1)), minutesAheadOfUtc(new Date(year, JULY, 1)));
  return structure(TimeZoneDataType, { offset, daylightSavingInOffset: offset > standard });
}

function minutesAheadOfUtc(date: Date): number {
  return -date.getTimezoneOffset() + 0; // no -0
}
