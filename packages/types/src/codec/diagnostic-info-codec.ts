import type { BinaryReader } from '../binary-reader.ts';
import type { BinaryWriter } from '../binary-writer.ts';
import type { DiagnosticInfo } from '../diagnostic-info.ts';
import { DecodingError } from '../ua-status-error.ts';

/** Bits of the encoding mask. OPC 10000-6 §5.2.2.12, Table 21. */
const SYMBOLIC_ID = 0x01;
const NAMESPACE = 0x02;
const LOCALIZED_TEXT = 0x04;
const LOCALE = 0x08;
const ADDITIONAL_INFO = 0x10;
const INNER_STATUS_CODE = 0x20;
const INNER_DIAGNOSTIC_INFO = 0x40;

/** The TypeScript form of a DiagnosticInfo without any field is null. */
export function decodeDiagnosticInfo(reader: BinaryReader): DiagnosticInfo | null {
  const mask = reader.readUInt8();
  if (mask === 0) return null;
  if (mask > 0x7f) throw DecodingError.malformed(`DiagnosticInfo mask ${mask}`);
  const info: { -readonly [K in keyof DiagnosticInfo]: DiagnosticInfo[K] } = {};
  if (mask & SYMBOLIC_ID) info.symbolicId = reader.readInt32();
  if (mask & NAMESPACE) info.namespaceUri = reader.readInt32();
  if (mask & LOCALE) info.locale = reader.readInt32();
  if (mask & LOCALIZED_TEXT) info.localizedText = reader.readInt32();
  if (mask & ADDITIONAL_INFO) info.additionalInfo = reader.readString();
  if (mask & INNER_STATUS_CODE) info.innerStatusCode = reader.readUInt32();
  if (mask & INNER_DIAGNOSTIC_INFO) {
    reader.enterNestingLevel();
    const inner = decodeDiagnosticInfo(reader);
    if (inner) info.innerDiagnosticInfo = inner;
    reader.exitNestingLevel();
  }
  return info;
}

export function encodeDiagnosticInfo(writer: BinaryWriter, value: DiagnosticInfo | null): void {
  if (value === null) {
    writer.writeUInt8(0);
    return;
  }
  writer.writeUInt8(maskOf(value));
  if (value.symbolicId !== undefined) writer.writeInt32(value.symbolicId);
  if (value.namespaceUri !== undefined) writer.writeInt32(value.namespaceUri);
  if (value.locale !== undefined) writer.writeInt32(value.locale);
  if (value.localizedText !== undefined) writer.writeInt32(value.localizedText);
  if (value.additionalInfo !== undefined) writer.writeString(value.additionalInfo);
  if (value.innerStatusCode !== undefined) writer.writeUInt32(value.innerStatusCode);
  if (value.innerDiagnosticInfo !== undefined) encodeDiagnosticInfo(writer, value.innerDiagnosticInfo);
}

function maskOf(value: DiagnosticInfo): number {
  return (
    (value.symbolicId !== undefined ? SYMBOLIC_ID : 0) |
    (value.namespaceUri !== undefined ? NAMESPACE : 0) |
    (value.locale !== undefined ? LOCALE : 0) |
    (value.localizedText !== undefined ? LOCALIZED_TEXT : 0) |
    (value.additionalInfo !== undefined ? ADDITIONAL_INFO : 0) |
    (value.innerStatusCode !== undefined ? INNER_STATUS_CODE : 0) |
    (value.innerDiagnosticInfo !== undefined ? INNER_DIAGNOSTIC_INFO : 0)
  );
}
