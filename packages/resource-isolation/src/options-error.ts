/** A wrong option: where it is, what would be right and what it was. */
export class ResourceIsolationOptionsError extends Error {
  override readonly name = 'ResourceIsolationOptionsError';
  /** Such as `stages[0].capacity`, or a configuration path. */
  readonly path: string;

  constructor(path: string, expected: string, actual: unknown) {
    super(`${path}: ${expected} is wanted, not ${textOf(actual)}`);
    this.path = path;
  }
}

/** @throws ResourceIsolationOptionsError unless `value` is an integer in `min`..`max`. */
export function checkInteger(path: string, value: number, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  const expected = max === Number.MAX_SAFE_INTEGER ? `an integer >= ${min}` : `an integer in ${min}..${max}`;
  throw new ResourceIsolationOptionsError(path, expected, value);
}

/** JSON has no word for undefined, NaN and the infinities. */
function textOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
}
