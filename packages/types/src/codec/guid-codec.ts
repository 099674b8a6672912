import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import { isGuid, NULL_GUID } from '../guid.ts';
import { UaStatusError } from '../ua-status-error.ts';

const BAD_ENCODING_ERROR = 0x80060000;
/** The text order of a GUID's 16 bytes: its first three groups are little-endian on the wire. OPC 10000-6 §5.2.2.6. */
const BYTE_ORDER: readonly number[] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
/** Where the two digits of each byte stand in the text. */
const DIGIT_POSITIONS: readonly number[] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];
const HEX_DIGITS: Buffer = Buffer.from('0123456789abcdef', 'latin1');
/** The dashes stay; the digits are overwritten each time. */
const scratchText: Buffer = Buffer.alloc(36, '-');

export function decodeGuid(reader: BinaryReader): string {
  const start = reader.take(16);
  const bytes = reader.buffer;
  // One flat string: put together from pieces it would take ten times the memory and time.
  for (let i = 0; i < 16; i++) {
    const byte = bytes[start + (BYTE_ORDER[i] as number)] as number;
    const position = DIGIT_POSITIONS[i] as number;
    scratchText[position] = HEX_DIGITS[byte >>> 4] as number;
    scratchText[position + 1] = HEX_DIGITS[byte & 0xf] as number;
  }
  return scratchText.toString('latin1');
}

/** @throws UaStatusError BadEncodingError when the text is no GUID. */
export function encodeGuid(writer: BinaryWriter, value: string): void {
  const text = value === '' ? NULL_GUID : value;
  if (!isGuid(text)) throw new UaStatusError(BAD_ENCODING_ERROR, `not a GUID: ${text.slice(0, 40)}`);
  const hex = text.replaceAll('-', '');
  const start = writer.reserve(16);
  for (let i = 0; i < 16; i++) {
    writer.buffer[start + (BYTE_ORDER[i] as number)] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  }
}
