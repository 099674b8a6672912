import type { Logger, LogLevel } from '@bulkhead/contracts';
import { type DestinationStream, pino } from 'pino';
import type { LogLevelName } from './command-line.ts';

/** A `Logger` port whose level can change while it is in use. */
export interface AdjustableLogger extends Logger {
  setLevel(level: LogLevelName): void;
}

/**
 * A `Logger` port that writes JSON lines through pino.
 * @param destination standard output unless told otherwise.
 */
export function createJsonLogger(level: LogLevelName, destination: DestinationStream = process.stdout): AdjustableLogger {
  const out = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label: string) => ({ level: label }) } },
    destination,
  );
  return {
    setLevel: (next) => {
      out.level = next;
    },
    isEnabled: (asked) => out.isLevelEnabled(asked),
    log: (asked, event, fields) => {
      if (out.isLevelEnabled(asked)) out[asked]({ event, ...readable(fields) });
    },
  };
}

const ranks: Readonly<Record<LogLevelName, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** A `Logger` port that writes one readable line per entry. */
export function createPrettyLogger(level: LogLevelName, write: (line: string) => void): AdjustableLogger {
  let least = ranks[level];
  const isEnabled = (asked: LogLevel): boolean => ranks[asked] >= least;
  return {
    setLevel: (next) => {
      least = ranks[next];
    },
    isEnabled,
    log: (asked, event, fields) => {
      if (!isEnabled(asked)) return;
      const details = Object.entries(readable(fields)).map(([name, value]) => ` ${name}=${inOneWord(value)}`);
      write(`${new Date().toISOString()} ${asked.padEnd(5)} ${event}${details.join('')}`);
    },
  };
}

/** Names that the entry itself uses. */
const reservedNames: ReadonlySet<string> = new Set(['event', 'level', 'time']);

/** Errors become their message, bytes and 64-bit integers a text, so that they survive JSON. */
function readable(fields: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const readableFields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value !== undefined) readableFields[reservedNames.has(name) ? `${name}_` : name] = readableValue(value);
  }
  return readableFields;
}

function readableValue(value: unknown): unknown {
  if (value instanceof Error) return describe(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex');
  if (typeof value === 'bigint') return value.toString();
  // NodeIds, times and the like have a text form of their own.
  if (hasTextForm(value)) return value.toString();
  return value;
}

function hasTextForm(value: unknown): value is { toString(): string } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && value.toString !== Object.prototype.toString;
}

/** What peers send may stand in a log: quotes keep it from looking like another field or another line. */
function inOneWord(value: unknown): string {
  if (typeof value !== 'string') return safeJson(value);
  return /^[\p{L}\p{N}\p{P}\p{S}]+$/u.test(value) && !/["'=\\]/u.test(value) ? value : safeJson(value);
}

function safeJson(value: unknown): string {
  const json = JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)) ?? String(value);
  // JSON leaves C1 controls, line separators and bidirectional marks as they are.
  return json.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function describe(error: Error): string {
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.name}: ${error.message}${cause}`;
}
