const MAX_NAME_LENGTH = 48;

/** Rows below their titles, the first column to the left and the others to the right. */
export function alignedTable(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '));
}

/** A caller chooses its name: it may not move the cursor. */
export function printable(text: string): string {
  const plain = text.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
  return plain.length > MAX_NAME_LENGTH ? `${plain.slice(0, MAX_NAME_LENGTH - 1)}…` : plain;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Per second. */
export function rate(value: number): string {
  return value >= 100 || value === 0 ? count(Math.round(value)) : value.toFixed(1);
}
