const factors: Readonly<Record<string, number>> = {
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
};

/**
 * The number that a cell begins with, as in `1,000`, `16.25 MiB` or `30 s; with an explanation`: bytes, milliseconds or a count.
 * @returns undefined when it begins with no number.
 */
export function quantityOf(cell: string): number | undefined {
  const match = /^(?<digits>\d[\d,]*(?:\.\d+)?)(?: (?<unit>KiB|MiB|GiB|ms|s|min|h)\b)?/u.exec(cell);
  const { digits, unit } = match?.groups ?? {};
  if (digits === undefined) return undefined;
  return Number(digits.replaceAll(',', '')) * (unit === undefined ? 1 : (factors[unit] as number));
}
