import { randomBytes } from 'node:crypto';
import type { LogLevel, Runtime } from '@bulkhead/contracts';
import type { Owner, OwnerClass } from '@bulkhead/resource-isolation';
import { DateTime } from '@bulkhead/types';

export const START_UNIX_MS = 1_800_000_000_000;

/** A runtime whose time a test moves, and whose log it reads. */
export class TestRuntime implements Runtime {
  nowMs = 0;
  readonly logged: { readonly level: LogLevel; readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  readonly clock: Runtime['clock'] = { nowMs: () => this.nowMs, utcNow: () => DateTime.fromUnixMs(START_UNIX_MS + this.nowMs) };
  readonly timers: Runtime['timers'] = { after: () => ({ cancel: () => undefined }) };
  readonly turns: Runtime['turns'] = { defer: () => undefined };
  readonly random: Runtime['random'] = { bytes: (byteCount) => randomBytes(byteCount) };
  readonly log: Runtime['log'] = {
    isEnabled: () => true,
    log: (level, event, fields = {}) => void this.logged.push({ level, event, fields }),
  };

  /** Entries of the log about this. */
  events(event: string): Readonly<Record<string, unknown>>[] {
    return this.logged.filter((entry) => entry.event === event).map(({ fields }) => fields);
  }
}

export function ownerOf(key: string, ownerClass: OwnerClass = 'Shared'): Owner {
  return { key, ownerClass, weight: 1 };
}
