import type { Logger, LogLevel } from '@bulkhead/contracts';

/** Promises that were seen broken. Noted rather than thrown: much of what looks is called by the server, which handles errors. */
export class Findings {
  readonly #found: string[] = [];

  report(text: string): void {
    this.#found.push(text);
  }

  /** @throws Error with everything that was found. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new Error(this.#found.join('\n'));
  }
}

/** What a host's failing callbacks are logged as: those of the simulation fail on purpose. */
const CALLBACK_FAILED = /-callback-failed$/u;

/** An error in the log of a server is a finding, unless a callback of the host failed. */
export class FindingsLogger implements Logger {
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  isEnabled(level: LogLevel): boolean {
    return level === 'error';
  }

  log(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (level !== 'error' || CALLBACK_FAILED.test(event)) return;
    const { error } = fields;
    const cause = error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(fields);
    this.#findings.report(`error in the log: ${event}: ${cause}`);
  }
}
