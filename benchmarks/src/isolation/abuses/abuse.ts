import { NodeId } from '@bulkhead/types';

/** The server that is abused. */
export interface AbuseTarget {
  readonly url: string;
  /** Where it can be reached by HTTPS and WebSockets; those that are left out it doesn't have. */
  readonly webUrls?: readonly string[] | undefined;
  /** Text form of the NodeId of the first of the 1,000 Doubles, but for the number at its end. */
  readonly nodePrefix: string;
  readonly methods: TargetMethods;
  /** Holds the certificate of the abuser; made on first use. */
  readonly workDir: string;
}

/** Text forms of NodeIds. */
export interface TargetMethods {
  readonly object: string;
  /** Answers after a second. */
  readonly slow: string;
  /** The same, and says that it waits, where the server has a way to hear it. */
  readonly waiting: string;
  /** Computes for `BURN_MS` before it answers. */
  readonly burning: string;
}

/** An abuse that goes on until it is stopped. */
export interface RunningAbuse {
  /** What it did so far, for a look at whether it was an abuse at all. */
  readonly counts: AbuseCounts;
  /** Closes everything. Idempotent. */
  stop(): void;
}

export interface AbuseCounts {
  readonly connections: number;
  /** Connections that the server refused, closed or answered with an error message. */
  readonly closed: number;
  readonly requests: number;
  readonly responses: number;
}

/** One way to treat a server badly. */
export interface Abuse {
  readonly name: string;
  /** The variables change during it. */
  readonly needsChanges?: boolean;
  /** It calls methods that only servers of this benchmark have. */
  readonly needsMethods?: boolean;
  /** The scheme that it comes by, with its colon; servers without are left out. Default: opc.tcp. */
  readonly transport?: WebTransport;
  /** The same for the polite client. */
  readonly politeTransport?: WebTransport;
  /** New clients have to get in during it. */
  readonly admitsNewcomers?: boolean;
  start(target: AbuseTarget): Promise<RunningAbuse>;
}

/** How long one call of the method `burning` computes. */
export const BURN_MS = 2;
/** How long a call of the method `slow` waits. */
export const SLOW_MS = 1000;
export const VARIABLES = 1000;
/** Where the client is whose latency is measured. */
export const POLITE_ADDRESS = '127.0.0.9';

/** The source address of the n-th abuser: one of `count` callers, none of them the polite one. */
export function abuserAddress(index: number, count: number): string {
  return `127.0.0.${20 + (index % count)}`;
}

/** Schemes with their colon. */
export type WebTransport = 'opc.wss:' | 'opc.https:';

/** Where a target is reached by a transport; opc.tcp when none is named. Undefined where it can't be. */
export function urlBy({ url, webUrls = [] }: AbuseTarget, transport: WebTransport | undefined): string | undefined {
  return transport === undefined ? url : webUrls.find((each) => each.startsWith(transport));
}

/** All variables of the target. */
export function variablesOf({ nodePrefix }: Pick<AbuseTarget, 'nodePrefix'>): readonly NodeId[] {
  return Array.from({ length: VARIABLES }, (_, index) => NodeId.parse(`${nodePrefix}${index}`));
}
