import type { Logger, LogLevel } from '@bulkhead/contracts';

export interface LogRecord {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Keeps what was logged, so that a test can look at it. */
export class RecordingLogger implements Logger {
  readonly records: LogRecord[] = [];

  isEnabled(_level: LogLevel): boolean {
    return true;
  }

  log(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.records.push({ level, event, fields });
  }

  /** Records of one event. */
  of(event: string): readonly LogRecord[] {
    return this.records.filter((record) => record.event === event);
  }
}
