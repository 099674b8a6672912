/** A wrong option: where it is, what would be right and what it was. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError';
  readonly path: string;

  constructor(path: string, expected: string, actual: unknown) {
    super(`${path}: ${expected} is wanted, not ${JSON.stringify(actual) ?? String(actual)}`);
    this.path = path;
  }
}
