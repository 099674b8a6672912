import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import { isGuid, NULL_GUID } from '../guid.ts';
import { UaStatusError } from '../ua-status-error.ts';

const BAD_ENCODING_ERROR = 0x80060000;
/** The text order of a GUID's 16 bytes: its first three groups are little-endian on the wire. OPC 10000-6 §5.2.2.6. */
const BYTE_ORDER: readonly number[] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function decodeGuid(reader: BinaryReader): string {
  const start = reader.take(16);
  const bytes = reader.buffer;
  let text = '';
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
    text += HEX[bytes[start + (BYTE_ORDER[i] as number)] as number];
  }
  return text;
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
