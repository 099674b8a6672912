import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a server says of itself. */
export interface ServerReport {
  /** What it holds for clients, by name; undefined when it doesn't know. */
  readonly held: Readonly<Record<string, number>> | undefined;
  readonly rssBytes: number;
  /** User and system time of all threads. */
  readonly cpuMs: number;
  /** By how much timers of the event loop were late since the last report. */
  readonly loopDelayP99Ms: number;
}

/** What the measuring process asks of a server. */
export type ServerCommand =
  | { readonly kind: 'report' /** First collects garbage, where the server may. */; readonly isAtRest: boolean }
  /** Changes all variables each so many ms; 0: never. */
  | { readonly kind: 'change'; readonly everyMs: number };

const RESOLUTION_MS = 1;

/** Answers the measuring process, which started this one, over its channel. */
export function answerCommands(held: () => ServerReport['held'], change: () => void): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let changing: NodeJS.Timeout | undefined;
  process.on('message', (command: ServerCommand) => {
    if (command.kind === 'change') {
      clearInterval(changing);
      if (command.everyMs > 0) changing = setInterval(change, command.everyMs);
      return;
    }
    if (command.isAtRest) globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const report: ServerReport = {
      held: held(),
      rssBytes: process.memoryUsage.rss(),
      cpuMs: (user + system) / 1000,
      // It measures from one expiry of its timer to the next.
      loopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS),
    };
    delay.reset();
    process.send?.(report);
  });
  process.once('disconnect', () => process.exit(0));
}
