import { describe, expect, it } from 'vitest';
import { codesInSources } from './codes-in-sources.ts';
import { readDocument } from './markdown.ts';

const PATH = 'docs/errors.md';

const rows = readDocument(PATH)
  .tables.filter(({ titles }) => titles[0] === 'code')
  .flatMap(({ titles, rows: ofTable }) =>
    ofTable.map(({ cells, line }) => ({ code: cells[0] ?? '', cells, line, columns: titles.length })),
  );
const inSources = codesInSources();

describe('the page of errors', () => {
  it('has a row for every StatusCode that a server can answer with', () => {
    const missing = [...inSources].filter(([code]) => !rows.some((row) => row.code === code));
    expect(missing.map(([code, files]) => `${PATH}: add a row for ${code}, named in ${files.join(', ')}`)).toEqual([]);
  });

  it('has no row for a StatusCode that no server answers with, and none twice', () => {
    const gone = rows.filter(({ code }) => !inSources.has(code));
    expect(gone.map(({ code, line }) => `${PATH}:${line}: drop the row of ${code}; no source of the server names it`)).toEqual([]);
    const codes = rows.map(({ code }) => code);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });

  it('says of each StatusCode where it comes from, why, what to do and whether trying again helps', () => {
    const unfinished = rows.filter(({ cells, columns }) => cells.length !== columns || cells.includes(''));
    expect(unfinished.map(({ code, line }) => `${PATH}:${line}: the row of ${code} isn't complete`)).toEqual([]);
  });
});
