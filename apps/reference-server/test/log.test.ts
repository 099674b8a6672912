import type { Logger } from '@bulkhead/contracts';
import { NodeId } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createJsonLogger, createPrettyLogger } from '../src/log.ts';

const fields = {
  count: 3,
  big: 9_007_199_254_740_993n,
  absent: undefined,
  nodeId: NodeId.string(2, 'a'),
  bytes: Uint8Array.of(0xde, 0xad),
  error: new TypeError('no good', { cause: new Error('deep down') }),
};

function jsonEntries(level: Parameters<typeof createJsonLogger>[0], write: (log: Logger) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  write(createJsonLogger(level, { write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function prettyLines(level: Parameters<typeof createPrettyLogger>[0], write: (log: Logger) => void): string[] {
  const lines: string[] = [];
  write(createPrettyLogger(level, (line) => lines.push(line)));
  return lines;
}

describe('the JSON log', () => {
  it('writes one object per entry with time, level, event and readable fields', () => {
    const [entry] = jsonEntries('info', (log) => log.log('warn', 'channel.refused', fields));
    expect(entry).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      event: 'channel.refused',
      count: 3,
      big: '9007199254740993',
      nodeId: 'ns=2;s=a',
      bytes: 'dead',
      error: 'TypeError: no good (deep down)',
    });
  });

  it('keeps a field from posing as the event, level or time', () => {
    const [entry] = jsonEntries('info', (log) => log.log('info', 'session.closed', { event: 'ready', level: 1, time: 2 }));
    expect(entry).toMatchObject({ event: 'session.closed', level: 'info', event_: 'ready', level_: 1, time_: 2 });
  });

  it('leaves out what is below its level', () => {
    const entries = jsonEntries('warn', (log) => {
      log.log('info', 'a');
      log.log('error', 'b');
      expect([log.isEnabled('info'), log.isEnabled('warn')]).toEqual([false, true]);
    });
    expect(entries.map(({ event }) => event)).toEqual(['b']);
  });

  it('says nothing when silent', () => {
    expect(jsonEntries('silent', (log) => log.log('error', 'a'))).toEqual([]);
  });
});

describe('the readable log', () => {
  it('writes one line per entry', () => {
    const [line] = prettyLines('info', (log) => log.log('warn', 'channel.refused', fields));
    expect(line).toMatch(
      /^\S+Z warn {2}channel\.refused count=3 big=9007199254740993 nodeId="ns=2;s=a" bytes=dead error="TypeError: no good \(deep down\)"$/u,
    );
  });

  it.each([
    ['a line break', 'x\n2026-01-01T00:00:00.000Z error forged', '"x\\n2026-01-01T00:00:00.000Z error forged"'],
    ['a further field', 'x user=admin', '"x user=admin"'],
    ['an escape sequence', '\u001b[2J', '"\\u001b[2J"'],
    ['a C1 control', 'a\u009bb', '"a\\u{9b}b"'],
    ['a change of direction', 'a\u202eb', '"a\\u{202e}b"'],
    ['nothing', '', '""'],
  ])('shows %s in a name that a peer chose as text', (_, name, shown) => {
    const lines = prettyLines('info', (log) => log.log('info', 'session.created', { name }));
    expect(lines[0]?.endsWith(` name=${shown}`)).toBe(true);
    expect(lines[0]).not.toContain('\n');
  });

  it('leaves out what is below its level', () => {
    const lines = prettyLines('error', (log) => {
      log.log('warn', 'a');
      log.log('error', 'b', { list: [1n] });
      expect([log.isEnabled('warn'), log.isEnabled('error')]).toEqual([false, true]);
    });
    expect(lines).toEqual([expect.stringContaining('error b list=["1"]')]);
  });

  it('says nothing when silent', () => {
    expect(prettyLines('silent', (log) => log.log('error', 'a'))).toEqual([]);
  });
});
