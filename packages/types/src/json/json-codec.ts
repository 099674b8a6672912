import type { BuiltInType } from '../built-in-type.ts';
import type { StructureType } from '../structure-type.ts';
import type { BuiltInValues } from '../variant.ts';
import type { JsonContext, JsonFlavour, JsonObject } from './json-context.ts';
import { JsonDecoder } from './json-decoder.ts';
import { JsonEncoder } from './json-encoder.ts';

/** A structure as a JSON object, for `JSON.stringify`. A negative zero becomes 0 there. OPC 10000-6 §5.4.6. */
export function encodeJson<T>(type: StructureType<T>, value: T, flavour: JsonFlavour, context: JsonContext): JsonObject {
  return new JsonEncoder(flavour, context).structure(type as StructureType<unknown>, value);
}

/**
 * A structure from parsed JSON of either flavour; see `parseJson`. Members that the type doesn't have are ignored.
 * @throws DecodingError that names the place, BadEncodingLimitsExceeded when only a limit stands in the way.
 */
export function decodeJson<T>(type: StructureType<T>, json: unknown, context: JsonContext): T {
  return new JsonDecoder(context).structure(type, json);
}

/** A value of a built-in type as it stands in an array: null for the null of a nullable type. OPC 10000-6 §5.4.2. */
export function encodeJsonBuiltIn<T extends BuiltInType>(
  type: T,
  value: BuiltInValues[T] | null,
  flavour: JsonFlavour,
  context: JsonContext,
): unknown {
  return new JsonEncoder(flavour, context).builtIn(type, value);
}

/** A value of a built-in type; null is the default of the type. @throws DecodingError */
export function decodeJsonBuiltIn<T extends BuiltInType>(type: T, json: unknown, context: JsonContext): BuiltInValues[T] {
  return new JsonDecoder(context).builtIn(type, json) as BuiltInValues[T];
}
