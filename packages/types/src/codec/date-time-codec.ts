import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import { DateTime } from '../date-time.ts';

export function decodeDateTime(reader: BinaryReader): DateTime {
  const low = reader.readUInt32();
  return DateTime.fromTickWords(reader.readUInt32(), low);
}

export function encodeDateTime(writer: BinaryWriter, value: DateTime): void {
  const at = writer.reserve(8);
  value.writeTicks(writer.buffer, at);
}
