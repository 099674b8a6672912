/** @throws RangeError naming `name` unless `value` is an integer from `min` to `max`. */
export function requireInteger(name: string, value: number, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `an integer >= ${min}` : `an integer from ${min} to ${max}`;
  throw new RangeError(`${name}: ${range} is needed, not ${value}`);
}
