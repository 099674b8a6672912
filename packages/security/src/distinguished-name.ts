import { isUtf8 } from 'node:buffer';
import { type DerElement, type DerReader, DerTag, malformed } from './der-reader.ts';

/** A distinguished name as certificates carry it. */
export interface DistinguishedName {
  /** For people and logs: `CN=…, O=…`, without control or direction characters, at most 256 characters. */
  readonly display: string;
  /** The first common name, as clean as `display`; empty if there is none. */
  readonly commonName: string;
  /** Equal for names that RFC 5280 §7.1 takes as equal: case, outer and repeated blanks and string types don't count. */
  readonly key: string;
}

const MAX_ATTRIBUTES = 64;
const MAX_DISPLAY_LENGTH = 256;
const COMMON_NAME = '550403';
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  [COMMON_NAME, 'CN'],
  ['550406', 'C'],
  ['550407', 'L'],
  ['550408', 'ST'],
  ['55040a', 'O'],
  ['55040b', 'OU'],
  ['0992268993f22c640119', 'DC'],
]);

/** Reads the next element, a Name. @throws UaStatusError `BadCertificateInvalid`. */
export function readDistinguishedName(reader: DerReader): DistinguishedName {
  const names = reader.enter(DerTag.Sequence);
  const shown: string[] = [];
  let key = '';
  let commonName = '';
  let attributes = 0;
  while (!names.done) {
    const set = names.enter(DerTag.Set);
    while (!set.done) {
      if (++attributes > MAX_ATTRIBUTES) throw malformed(`name with more than ${MAX_ATTRIBUTES} attributes`);
      const attribute = set.enter(DerTag.Sequence);
      const oid = attribute.oid();
      const value = decodeText(attribute, attribute.next());
      attribute.expectEnd();
      key += `${oid}=${JSON.stringify(value.trim().replace(/\s+/gu, ' ').toLowerCase())}+`;
      if (oid === COMMON_NAME && commonName === '') commonName = printable(value);
      shown.push(`${SHORT_NAMES.get(oid) ?? oid}=${printable(value)}`);
    }
    key += ',';
  }
  return { display: shown.join(', ').slice(0, MAX_DISPLAY_LENGTH), commonName: commonName.slice(0, MAX_DISPLAY_LENGTH), key };
}

/** Text without control, format (text direction) and surrogate characters: safe in a log line. */
function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

function decodeText(reader: DerReader, element: DerElement): string {
  const content = reader.content(element);
  switch (element.tag) {
    case DerTag.Utf8String:
      if (!isUtf8(content)) throw malformed('string that is not UTF-8');
      return content.toString('utf8');
    case DerTag.BmpString:
      if (content.length % 2 !== 0) throw malformed('BMPString of odd length');
      return Buffer.from(content).swap16().toString('utf16le');
    case DerTag.UniversalString:
      if (content.length % 4 !== 0) throw malformed('UniversalString of a length not divisible by 4');
      return content.toString('hex');
    default:
      return content.toString('latin1');
  }
}
