export { formatBase64, parseBase64 } from './base64.ts';
export { BinaryReader } from './binary-reader.ts';
export { BinaryWriter } from './binary-writer.ts';
export { BuiltInType, builtInTypeNames } from './built-in-type.ts';
export * from './codec/index.ts';
export { DataValue } from './data-value.ts';
export { DateTime } from './date-time.ts';
export type { DiagnosticInfo } from './diagnostic-info.ts';
export { defaultEncodingLimits, type EncodingLimits } from './encoding-limits.ts';
export { ExpandedNodeId } from './expanded-node-id.ts';
export { ExtensionObject } from './extension-object.ts';
export * from './generated/index.ts';
export { isGuid, NULL_GUID } from './guid.ts';
export * from './json/index.ts';
export { LocalizedText } from './localized-text.ts';
export { IdentifierType, NodeId, type NodeKey } from './node-id.ts';
export { type IndexRange, type NumericRange, parseNumericRange } from './numeric-range.ts';
export { QualifiedName } from './qualified-name.ts';
export { type RefusalDetails, ServerTooBusyError } from './server-too-busy-error.ts';
export {
  baseStatusCode,
  INFO_TYPE_DATA_VALUE,
  isBad,
  isGood,
  isUncertain,
  OVERFLOW_BIT,
  SEMANTICS_CHANGED_BIT,
  STRUCTURE_CHANGED_BIT,
  type StatusCode,
} from './status-code.ts';
export { StringMemory } from './string-memory.ts';
export type { RequestType, ResponseType, StructureField, StructureType } from './structure-type.ts';
export { DecodingError, UaStatusError } from './ua-status-error.ts';
export { type BuiltInValues, Variant } from './variant.ts';
