import { describe, expect, it } from 'vitest';
import { limitsInCode } from './limits-in-code.ts';
import { readDocument, type TableRow } from './markdown.ts';
import { quantityOf } from './quantity.ts';

const PATH = 'docs/limits.md';

interface DocumentedLimit extends TableRow {
  readonly option: string;
  readonly default: string;
  readonly unit: string;
}

const documented: readonly DocumentedLimit[] = readDocument(PATH)
  .tables.filter(({ titles }) => titles[0] === 'option')
  .flatMap(({ rows }) =>
    rows.map((row) => ({ ...row, option: row.cells[0] ?? '', default: row.cells[1] ?? '', unit: row.cells[2] ?? '' })),
  );
const inCode = limitsInCode();
/** Follows the number of processors. */
const ESTABLISHMENT = 'rateLimits.maxConcurrentSessionEstablishment';

describe('the page of limits', () => {
  it('has a row for every limit of the server', () => {
    const missing = [...inCode].filter(([option]) => !documented.some((row) => row.option === option));
    expect(missing.map(([option, value]) => `${PATH}: add a row for ${option}, default ${value ?? 'as its comment says'}`)).toEqual([]);
  });

  it('has no row for what is no limit any more, and none twice', () => {
    const gone = documented.filter(({ option }) => !inCode.has(option));
    expect(gone.map(({ option, line }) => `${PATH}:${line}: drop the row of ${option}; the server has no such limit`)).toEqual([]);
    const options = documented.map(({ option }) => option);
    expect(options.filter((option, at) => options.indexOf(option) !== at)).toEqual([]);
  });

  it('gives the defaults that the code has', () => {
    const wrong = documented.filter(({ option, default: text }) => {
      const value = inCode.get(option);
      if (option === ESTABLISHMENT) return quantityOf(text) !== 128 || (value ?? 0) < 128;
      return value !== undefined && value !== quantityOf(text);
    });
    expect(
      wrong.map(({ option, line, default: text }) => `${PATH}:${line}: the default of ${option} is ${inCode.get(option)}, not ${text}`),
    ).toEqual([]);
  });

  it('gives units that fit the names, and says of each limit what happens at it', () => {
    const wrong = documented.filter(
      ({ option, unit }) => option.endsWith('Ms') !== (unit === 'ms') || (option.includes('Bytes') && unit !== 'bytes'),
    );
    expect(wrong.map(({ option, line, unit }) => `${PATH}:${line}: ${option} is not in ${unit}`)).toEqual([]);
    expect(documented.filter(({ cells }) => cells.length !== 4 || cells[3] === '').map(({ line }) => `${PATH}:${line}`)).toEqual([]);
  });
});
