import type { OutgoingStart } from './outgoing-connection.ts';

/** How a connection begins. */
export interface ConnectionStart {
  /** When its leases were taken, monotonic ms: start-up has its time from then on. */
  readonly startedAtMs: number;
  /** When this server opened the transport: it speaks first then. */
  readonly outgoing: OutgoingStart | undefined;
}
