import type { Abuse } from './abuse.ts';
import { burningCalls, slowCalls, waitingCalls } from './calls.ts';
import { connectStorm, silentConnections, tlsStorm } from './connections.ts';
import { halfSenders } from './half-senders.ts';
import { hog, hogBehindOneAddress, hogsOverTheWeb } from './hog.ts';
import { deafSubscribers, publishFlood } from './subscribers.ts';
import { unactivatedSessions } from './unactivated-sessions.ts';

/** In the order in which they are run. */
export const allAbuses: readonly Abuse[] = [
  hog,
  hogBehindOneAddress,
  ...hogsOverTheWeb,
  halfSenders,
  connectStorm,
  tlsStorm,
  silentConnections,
  unactivatedSessions,
  deafSubscribers,
  publishFlood,
  slowCalls,
  waitingCalls,
  burningCalls,
];
