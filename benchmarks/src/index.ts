/** For tests: the hostile clients and the polite one. */
export {
  type Abuse,
  type AbuseCounts,
  POLITE_ADDRESS,
  type RunningAbuse,
  urlBy,
  variablesOf,
} from './isolation/abuses/abuse.ts';
export { burningCalls, slowCalls, waitingCalls } from './isolation/abuses/calls.ts';
export { connectStorm, silentConnections, tlsStorm } from './isolation/abuses/connections.ts';
export { halfSenders } from './isolation/abuses/half-senders.ts';
export { hog, hogBehindOneAddress, hogsOverTheWeb } from './isolation/abuses/hog.ts';
export { deafSubscribers, publishFlood } from './isolation/abuses/subscribers.ts';
export { unactivatedSessions } from './isolation/abuses/unactivated-sessions.ts';
export { addIsolationNodes, isolationParking, METHODS, NODE_PREFIX } from './isolation/isolation-nodes.ts';
export { Newcomers } from './isolation/newcomers.ts';
export { PoliteClient, type PoliteOutcome } from './isolation/polite-client.ts';
