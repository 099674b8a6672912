import {
  BuiltInType,
  type DataValue,
  type DateTime,
  type DiagnosticInfo,
  type ExpandedNodeId,
  type ExtensionObject,
  type LocalizedText,
  type NodeId,
  type QualifiedName,
  type Variant,
} from '@bulkhead/types';

/** True when both hold the same type, shape and values; NaN equals NaN. */
export function variantsEqual(a: Variant | undefined, b: Variant | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.type !== b.type || a.isArray !== b.isArray) return false;
  if (!a.isArray) return scalarsEqual(a.type, a.value, b.value);
  const left = a.elements;
  const right = b.elements;
  if (left === right) return true;
  if (left === undefined || right === undefined || left.length !== right.length || !dimensionsEqual(a.dimensions, b.dimensions))
    return false;
  for (let i = 0; i < left.length; i++) {
    if (!scalarsEqual(a.type, left[i], right[i])) return false;
  }
  return true;
}

/** True when status, value and both timestamps are equal. */
export function dataValuesEqual(a: DataValue, b: DataValue): boolean {
  return (
    a === b ||
    (a.statusCode === b.statusCode &&
      timesEqual(a.sourceTimestamp, b.sourceTimestamp) &&
      timesEqual(a.serverTimestamp, b.serverTimestamp) &&
      a.sourcePicoseconds === b.sourcePicoseconds &&
      a.serverPicoseconds === b.serverPicoseconds &&
      variantsEqual(a.value, b.value))
  );
}

/** True when both are absent or the same instant. */
export function timesEqual(a: DateTime | undefined, b: DateTime | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b));
}

function dimensionsEqual(a: readonly number[] | undefined, b: readonly number[] | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  return a.every((length, i) => length === b[i]);
}

function scalarsEqual(type: BuiltInType, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === null || b === null || a === undefined || b === undefined) return false;
  switch (type) {
    case BuiltInType.Float:
    case BuiltInType.Double:
      return Number.isNaN(a) && Number.isNaN(b);
    case BuiltInType.DateTime:
      return (a as DateTime).equals(b as DateTime);
    case BuiltInType.ByteString:
      return bytesEqual(a as Uint8Array, b as Uint8Array);
    case BuiltInType.NodeId:
      return (a as NodeId).equals(b as NodeId);
    case BuiltInType.ExpandedNodeId:
      return (a as ExpandedNodeId).equals(b as ExpandedNodeId);
    case BuiltInType.QualifiedName:
      return (a as QualifiedName).equals(b as QualifiedName);
    case BuiltInType.LocalizedText:
      return (a as LocalizedText).equals(b as LocalizedText);
    case BuiltInType.ExtensionObject:
      return extensionObjectsEqual(a as ExtensionObject, b as ExtensionObject);
    case BuiltInType.DataValue:
      return dataValuesEqual(a as DataValue, b as DataValue);
    case BuiltInType.Variant:
      return variantsEqual(a as Variant, b as Variant);
    case BuiltInType.DiagnosticInfo:
      return diagnosticInfosEqual(a as DiagnosticInfo, b as DiagnosticInfo);
    default:
      return false;
  }
}

function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

function extensionObjectsEqual(a: ExtensionObject, b: ExtensionObject): boolean {
  if (!a.typeId.equals(b.typeId)) return false;
  const left = a.content;
  if (left !== undefined && left.value === b.content?.value) return true;
  if (typeof a.body === 'string' || typeof b.body === 'string') return a.body === b.body;
  const leftBody = bodyOf(a);
  const rightBody = bodyOf(b);
  return leftBody === rightBody || (leftBody !== undefined && rightBody !== undefined && bytesEqual(leftBody, rightBody));
}

/** Undefined for a structure that can't be encoded, because a field is missing or of another type. */
function bodyOf(extensionObject: ExtensionObject): Uint8Array | undefined {
  try {
    return extensionObject.toBinaryBody();
  } catch {
    return undefined;
  }
}

function diagnosticInfosEqual(a: DiagnosticInfo, b: DiagnosticInfo): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
