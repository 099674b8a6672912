import { BuiltInType, type DataValue, ExtensionObject, type Variant } from '@bulkhead/types';

/** A DataValue with a scalar of fixed size, and its place in a queue. */
const FIXED_BYTES = 128;
/** One element of an array of numbers, where the array is none of numbers only. */
const NUMBER_BYTES = 8;
/** An object of its own, such as a LocalizedText or a NodeId. */
const OBJECT_BYTES = 64;
/** Characters may take two bytes. */
const CHARACTER_BYTES = 2;
/** Parts looked at in structures; what comes after that counts as little as nothing. */
const MAX_PARTS = 10_000;

/**
 * About how many bytes a value keeps alive while it is queued: never much less, for values that others hold too more than it really
 * adds. The same each time for the same value. Constant time for scalars and arrays of numbers.
 */
export function retainedBytesOf({ value }: DataValue): number {
  return value === undefined ? FIXED_BYTES : FIXED_BYTES + bytesOfVariant(value);
}

function bytesOfVariant({ type, value, isArray }: Variant): number {
  if (!isArray && type <= BuiltInType.Double) return 0;
  if (value === null || value === undefined) return 0;
  if (typeof value === 'string') return value.length * CHARACTER_BYTES;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (isArray && type <= BuiltInType.Double) return (value as ArrayLike<unknown>).length * NUMBER_BYTES;
  return bytesOfParts(value);
}

/** Adds up what a value is made of, however deep. */
function bytesOfParts(root: unknown): number {
  const open: unknown[] = [root];
  let bytes = 0;
  for (let parts = 0; open.length > 0 && parts < MAX_PARTS; parts++) {
    const part = open.pop();
    if (typeof part === 'string') bytes += part.length * CHARACTER_BYTES;
    else if (ArrayBuffer.isView(part)) bytes += part.byteLength;
    else if (part instanceof ExtensionObject) open.push(part.typeId, part.body ?? part.content?.value);
    else if (typeof part === 'object' && part !== null) {
      bytes += OBJECT_BYTES;
      for (const inner of Object.values(part)) open.push(inner);
    } else bytes += NUMBER_BYTES;
  }
  return bytes;
}
