const words = { ok: 'ok', fails: '**fails**', cannot: 'can’t' };

/**
 * The matrix as plain text.
 * @param columns `[{ name, entry }]`; `entry` is undefined for a stack that has never run here.
 */
export function matrixText(steps, columns) {
  const cells = [
    ['', ...columns.map(({ name }) => name)],
    ...steps.map(({ id, title }) => [title, ...columns.map(({ entry }) => entry?.steps[id]?.result ?? '-')]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * docs/interop.md.
 * @param notes by stack name and step id: why something isn't ok.
 * @param own `{ steps, servers }`: what our client did at the servers of other stacks, by their names.
 */
export function interopPage(steps, columns, notes, own) {
  const known = columns.filter(({ entry }) => entry !== undefined);
  const table = [
    ['Step', ...known.map(({ name }) => name)],
    ['---', ...known.map(() => '---')],
    ...steps.map(({ id, title }) => [title, ...known.map(({ entry }) => words[entry.steps[id]?.result] ?? 'not run')]),
  ];
  return `${[
    '# Clients of other stacks',
    'Written by `pnpm interop` from the last accepted results (`test/interop/results.json`); [test/interop](../test/interop/README.md) says what each step does and checks.',
    known.map(({ name, entry }) => `- \`${name}\`: ${entry.title}`).join('\n'),
    table.map((row) => `| ${row.join(' | ')} |`).join('\n'),
    'Can’t: the client has no way to do it. A failure below is the client’s, unless its note says otherwise.',
    ...known.flatMap((column) => stackSection(steps, column, notes[column.name] ?? {})),
    ...ownClientSection(own),
  ].join('\n\n')}\n`;
}

/** One row for each server. */
function ownClientSection({ steps, servers }) {
  const entries = Object.entries(servers);
  if (entries.length === 0) return [];
  const rows = [
    ['Server', ...steps.map(({ title }) => title)],
    ['---', ...steps.map(() => '---')],
    ...entries.map(([, entry]) => [entry.title, ...steps.map(({ id }) => words[entry.steps[id]?.result] ?? 'not run')]),
  ];
  const failures = entries.flatMap(([name, entry]) =>
    steps.flatMap(({ id, title }) => {
      const { result, detail } = entry.steps[id] ?? {};
      return result === 'fails' ? [`- ${name}, ${title}: ${escapeMarkdown(detail)}`] : [];
    }),
  );
  const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  return ['## Our client at the servers of other stacks', table, ...(failures.length === 0 ? [] : [failures.join('\n')])];
}

function stackSection(steps, { name, entry }, notes) {
  const lines = steps.flatMap(({ id, title }) => {
    const { result, detail } = entry.steps[id] ?? {};
    if (result === undefined || (result === 'ok' && notes[id] === undefined)) return [];
    const found = result === 'ok' ? 'ok' : `${words[result]}: ${escapeMarkdown(detail)}`;
    return [`- ${title}: ${found}${notes[id] === undefined ? '' : `\n  ${notes[id]}`}`];
  });
  return lines.length === 0 ? [] : [`## ${name}`, lines.join('\n')];
}

function escapeMarkdown(text) {
  return text.replaceAll(/[<>*_`[\]|]/gu, '\\$&');
}
