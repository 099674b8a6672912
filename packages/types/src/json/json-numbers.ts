import { BuiltInType } from '../built-in-type.ts';
import type { JsonPath } from './json-path.ts';

/** Lowest and highest value of the integer types that are JSON numbers, by type id. */
const INTEGER_RANGES: readonly (readonly [number, number] | undefined)[] = (() => {
  const ranges: (readonly [number, number] | undefined)[] = [];
  ranges[BuiltInType.SByte] = [-0x80, 0x7f];
  ranges[BuiltInType.Byte] = [0, 0xff];
  ranges[BuiltInType.Int16] = [-0x8000, 0x7fff];
  ranges[BuiltInType.UInt16] = [0, 0xffff];
  ranges[BuiltInType.Int32] = [-0x8000_0000, 0x7fff_ffff];
  ranges[BuiltInType.UInt32] = [0, 0xffff_ffff];
  return ranges;
})();

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/** An integer of at most 32 bits. OPC 10000-6 §5.4.2.3. */
export function decodeJsonInteger(type: BuiltInType, json: unknown, path: JsonPath): number {
  const range = INTEGER_RANGES[type] as readonly [number, number];
  if (typeof json !== 'number' || !Number.isInteger(json)) throw path.malformed('not an integer');
  if (json < range[0] || json > range[1]) throw path.malformed(`not within ${range[0]} … ${range[1]}`);
  return json + 0;
}

/** A 64-bit integer: a decimal string, or a number that is exact. OPC 10000-6 §5.4.2.3. */
export function decodeJsonInteger64(isSigned: boolean, json: unknown, path: JsonPath): bigint {
  let value: bigint;
  if (typeof json === 'number' && Number.isSafeInteger(json)) value = BigInt(json);
  else if (typeof json === 'string' && /^[+-]?\d{1,20}$/u.test(json)) value = BigInt(json.startsWith('+') ? json.slice(1) : json);
  else throw path.malformed('not a 64-bit integer as a decimal string');
  if (value < (isSigned ? MIN_INT64 : 0n) || value > (isSigned ? MAX_INT64 : MAX_UINT64)) throw path.malformed('beyond 64 bits');
  return value;
}

/** Numbers as they are; the special ones as strings. OPC 10000-6 §5.4.2.4. */
export function encodeJsonFloatingPoint(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

export function decodeJsonDouble(json: unknown, path: JsonPath): number {
  switch (json) {
    case 'Infinity':
      return Number.POSITIVE_INFINITY;
    case '-Infinity':
      return Number.NEGATIVE_INFINITY;
    case 'NaN':
      return Number.NaN;
  }
  if (typeof json !== 'number') throw path.malformed('not a number');
  // A literal such as 1e999 is no Double, and no way to say Infinity.
  if (!Number.isFinite(json)) throw path.malformed('beyond the range of Double');
  return json;
}

export function decodeJsonFloat(json: unknown, path: JsonPath): number {
  const value = decodeJsonDouble(json, path);
  const float = Math.fround(value);
  if (!Number.isFinite(float) && Number.isFinite(value)) throw path.malformed('beyond the range of Float');
  return float;
}

/** A number, or what verbose JSON writes: `<name>_<value>`, or the value alone as a string. OPC 10000-6 §5.4.4. */
export function decodeJsonEnumeration(json: unknown, path: JsonPath): number {
  if (typeof json !== 'string') return decodeJsonInteger(BuiltInType.Int32, json, path);
  const value = json.length <= 500 ? /^(?:.*_)?(-?\d{1,10})$/su.exec(json)?.[1] : undefined;
  if (value === undefined) throw path.malformed('not an enumeration value');
  return decodeJsonInteger(BuiltInType.Int32, Number(value), path);
}
