import { configurationMembers } from '@bulkhead/reference-server';
import { describe, expect, it } from 'vitest';
import { limitsInCode } from './limits-in-code.ts';
import { readDocument, type TableRow } from './markdown.ts';
import { quantityOf } from './quantity.ts';

const page = readDocument('docs/configuration.md');
const rows = page.tables.filter(({ titles }) => titles[0] === 'member').flatMap((table) => table.rows);
const members = configurationMembers();

/** Limits that are built in. */
const notOptions = /^(?:connection|httpsConnection|encoding|session|passwordLockout)\./u;
/** Sections that the file has by another name. */
const sections: Readonly<Record<string, string>> = { webPort: 'web', proxyProtocol: 'proxies', httpsRateLimits: 'https.rateLimits' };

/** The default as the page may say it. */
function isDefault(cell: string, standard: unknown, inWords: string | undefined): boolean {
  if (inWords !== undefined) return cell === inWords.replaceAll('`', '');
  if (standard === undefined) return cell === 'nothing';
  if (typeof standard === 'number') return quantityOf(cell) === standard;
  return cell === (Array.isArray(standard) ? standard.join(', ') : JSON.stringify(standard).replaceAll('"', ''));
}

describe('docs/configuration.md', () => {
  it('has every member of a configuration file once, and no other', () => {
    const documented = rows.map(({ cells }) => cells[0] ?? '');
    expect(documented.toSorted()).toEqual(members.map(({ path }) => path.join('.')).toSorted());
  });

  it.each(members.map((member) => ({ name: member.path.join('.'), member })))(
    'says unit, default and variable of $name as the code has them',
    ({ name, member: { schema, standard, environment } }) => {
      const { cells } = rows.find((row) => row.cells[0] === name) as TableRow;
      expect(cells[1]).toBe(schema.unit ?? '-');
      expect(isDefault(cells[2] ?? '', standard, schema.standard), `${cells[2]} for ${JSON.stringify(standard)}`).toBe(true);
      expect(cells[3]).toBe(environment ?? '-');
    },
  );

  it('has every limit that an option of the server sets', () => {
    const paths = members.map(({ path }) => path.join('.'));
    for (const limit of limitsInCode().keys()) {
      if (notOptions.test(limit)) continue;
      const [section, ...rest] = limit.replace(/\[\].*$/u, '').split('.') as [string, ...string[]];
      const member = rest.length === 0 ? [section, `limits.${section}`] : [[sections[section] ?? section, ...rest].join('.')];
      const isThere = paths.some((path) => member.some((name) => path === name || path.startsWith(`${name}.`)));
      expect(isThere || rest[0] === 'port', limit).toBe(true);
    }
  });

  it('names every value where there are a few', () => {
    for (const { path, schema } of members) {
      const meaning = rows.find((row) => row.cells[0] === path.join('.'))?.cells[4] ?? '';
      for (const value of schema.enum ?? schema.items?.enum ?? []) expect(meaning, path.join('.')).toContain(String(value));
    }
  });

  it('has a row for each option that sets limits in one go', () => {
    const options = page.tables.find(({ titles }) => titles[0] === 'option')?.rows.map(({ cells }) => cells[0] ?? '');
    expect(options).toEqual(['--rate', '--throttle', '--concurrent', '--timeout']);
  });
});
