import { DateTime } from '../date-time.ts';
import type { JsonPath } from './json-path.ts';

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,20}))?(Z|[+-]\d\d:\d\d)?$/u;
/** The null DateTime in JSON, whatever a platform's own earliest instant is. OPC 10000-6 §5.1.4. */
const MIN_TEXT = '0001-01-01T00:00:00Z';
const MAX_TEXT = '9999-12-31T23:59:59Z';
const DAYS_OF_MONTH: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** ISO 8601 with up to 7 fraction digits; null for the null DateTime. OPC 10000-6 §5.4.2.6. */
export function encodeJsonDateTime(value: DateTime): string | null {
  if (value.equals(DateTime.MIN)) return null;
  if (value.equals(DateTime.MAX)) return MAX_TEXT;
  const text = value.toString();
  const fraction = text.slice(20, -1).replace(/0+$/u, '');
  return fraction === '' ? `${text.slice(0, 19)}Z` : `${text.slice(0, 20)}${fraction}Z`;
}

/**
 * An ISO 8601 instant; UTC when it names no offset. Digits beyond 100 ns are cut off, and instants outside the range of
 * DateTime become its first or last.
 */
export function decodeJsonDateTime(json: unknown, path: JsonPath): DateTime {
  const match = typeof json === 'string' && json.length <= 60 ? INSTANT.exec(json) : null;
  if (match === null) throw path.malformed('not a DateTime');
  if (match[0] === MIN_TEXT) return DateTime.MIN;
  const month = Number(match[2]);
  const day = Number(match[3]);
  const isLeapYear = isLeap(Number(match[1]));
  const monthDays = month === 2 && !isLeapYear ? 28 : (DAYS_OF_MONTH[month - 1] ?? 0);
  const zone = match[8] ?? 'Z';
  const isInRange = day >= 1 && day <= monthDays && Number(match[4]) <= 23 && Number(match[5]) <= 59 && Number(match[6]) <= 59;
  const unixMs = Date.parse(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}${zone}`);
  if (!isInRange || Number.isNaN(unixMs)) throw path.malformed('not a DateTime');
  const fraction = Number((match[7] ?? '').padEnd(7, '0').slice(0, 7));
  const fractionMs = Math.floor(fraction / 10_000);
  return DateTime.fromUnixMs(unixMs + fractionMs, fraction - fractionMs * 10_000);
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
