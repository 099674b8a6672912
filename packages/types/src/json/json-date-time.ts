import { DateTime } from '../date-time.ts';
import type { JsonPath } from './json-path.ts';

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,20}))?(?:Z|([+-])(\d\d):(\d\d))?$/u;
/** That of `DateTime.MIN`; JSON can name earlier ones (OPC 10000-6 §5.1.4). */
const FIRST_YEAR = 1601;
const MAX_TEXT = '9999-12-31T23:59:59Z';
const DAYS_OF_MONTH: readonly number[] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** ISO 8601 with up to 7 fraction digits; null for the null DateTime. OPC 10000-6 §5.4.2.6. */
export function encodeJsonDateTime(value: DateTime): string | null {
  if (value.equals(DateTime.MIN)) return null;
  if (value.equals(DateTime.MAX)) return MAX_TEXT;
  const text = value.toString();
  if (value.ticksOfMs === 0 && text.endsWith('.000Z')) return `${text.slice(0, 19)}Z`;
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
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4]);
  const minute = Number(match[5]);
  const second = Number(match[6]);
  const monthDays = month === 2 && !isLeap(year) ? 28 : (DAYS_OF_MONTH[month - 1] ?? 0);
  if (day < 1 || day > monthDays || hour > 23 || minute > 59 || second > 59) throw path.malformed('not a DateTime');
  // All of these are null DateTimes, and years below 100 mean others to `Date`.
  if (year < FIRST_YEAR) return DateTime.MIN;
  const offsetMinutes = match[8] === undefined ? 0 : Number(`${match[8]}1`) * (Number(match[9]) * 60 + Number(match[10]));
  const unixMs = Date.UTC(year, month - 1, day, hour, minute - offsetMinutes, second);
  const fraction = match[7] === undefined ? 0 : Number(match[7].padEnd(7, '0').slice(0, 7));
  const fractionMs = Math.floor(fraction / 10_000);
  return DateTime.fromUnixMs(unixMs + fractionMs, fraction - fractionMs * 10_000);
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
