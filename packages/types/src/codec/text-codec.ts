import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import { LocalizedText } from '../localized-text.ts';
import { QualifiedName } from '../qualified-name.ts';
import { DecodingError } from '../ua-status-error.ts';

/** OPC 10000-6 §5.2.2.13. */
export function decodeQualifiedName(reader: BinaryReader): QualifiedName {
  const namespaceIndex = reader.readUInt16();
  const name = reader.readString();
  return namespaceIndex === 0 && name === null ? QualifiedName.NULL : new QualifiedName(namespaceIndex, name);
}

export function encodeQualifiedName(writer: BinaryWriter, value: QualifiedName): void {
  writer.writeUInt16(value.namespaceIndex);
  writer.writeString(value.name);
}

const LOCALE_FLAG = 1;
const TEXT_FLAG = 2;

/** OPC 10000-6 §5.2.2.14. */
export function decodeLocalizedText(reader: BinaryReader): LocalizedText {
  const mask = reader.readUInt8();
  if (mask > (LOCALE_FLAG | TEXT_FLAG)) throw DecodingError.malformed(`LocalizedText mask ${mask}`);
  if (mask === 0) return LocalizedText.NULL;
  const locale = mask & LOCALE_FLAG ? reader.readString() : null;
  return new LocalizedText(mask & TEXT_FLAG ? reader.readString() : null, locale);
}

/** A null or empty part is left out, so an empty one comes back as null. */
export function encodeLocalizedText(writer: BinaryWriter, { locale, text }: LocalizedText): void {
  const hasLocale = locale !== null && locale !== '';
  const hasText = text !== null && text !== '';
  writer.writeUInt8((hasLocale ? LOCALE_FLAG : 0) | (hasText ? TEXT_FLAG : 0));
  if (hasLocale) writer.writeString(locale);
  if (hasText) writer.writeString(text);
}
