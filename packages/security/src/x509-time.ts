import { type DerReader, DerTag, malformed } from './der-reader.ts';

/**
 * Reads the next element, a UTCTime or GeneralizedTime in the only form RFC 5280 §4.1.2.5 allows.
 * @returns milliseconds since 1970-01-01 UTC.
 * @throws UaStatusError `BadCertificateInvalid`.
 */
export function readTime(reader: DerReader): number {
  const element = reader.next();
  const text = reader.content(element).toString('latin1');
  if (element.tag === DerTag.UtcTime && /^\d{12}Z$/.test(text)) {
    const year = Number(text.slice(0, 2));
    return toMs(year < 50 ? 2000 + year : 1900 + year, text.slice(2));
  }
  if (element.tag === DerTag.GeneralizedTime && /^\d{14}Z$/.test(text)) return toMs(Number(text.slice(0, 4)), text.slice(4));
  throw malformed('bad time');
}

function toMs(year: number, rest: string): number {
  const [month, day, hour, minute, second] = [0, 2, 4, 6, 8].map((at) => Number(rest.slice(at, at + 2))) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  // Date.UTC rolls over (31 February) and takes years below 100 as 19xx; both must come out as they went in.
  const date = new Date(ms);
  const isReal =
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!isReal) throw malformed('impossible time');
  return ms;
}
