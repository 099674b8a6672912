import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { SecurityPolicies } from '@bulkhead/security';
import type { NodeId } from '@bulkhead/types';
import { discoverSecurity } from './client/client-security.ts';
import { ClientConnection } from './client/connection.ts';
import { PlainChannel } from './client/plain-channel.ts';
import { SecuredChannel } from './client/secured-channel.ts';
import { ClientSession } from './client/session.ts';
import { ConnectLoad } from './load/connect-load.ts';
import type { Load } from './load/load.ts';
import { NotificationLoad } from './load/notification-load.ts';
import { startReadLoad } from './load/read-load.ts';

/** None, or Basic256Sha256 with SignAndEncrypt. */
export type PolicyName = 'None' | 'Basic256Sha256';

/** Schemes with their colon. */
export type Transport = 'opc.tcp:' | 'opc.wss:' | 'opc.https:';

/** The server as a load sees it. */
export interface Target {
  readonly url: string;
  readonly nodes: readonly NodeId[];
  /** The client's certificate; only asked for by secured scenarios. */
  readonly identity: () => Promise<ChannelIdentity>;
}

export interface Scenario {
  readonly name: string;
  /** What is counted. */
  readonly unit: 'requests' | 'connects' | 'notifications';
  readonly policy: PolicyName;
  /** Scheme of the URL that is used. */
  readonly transport: Transport;
  /** How often the server changes all Doubles; 0: never. */
  readonly tickMs: number;
  /** Whether the floor server can take it. */
  readonly hasFloor: boolean;
  start(target: Target): Promise<Load>;
}

export const DOUBLES: number = 1000;

const SESSIONS = 10;
const INTERVAL_MS = 100;
const CONNECTS_AT_A_TIME = 10;

/** @returns every scenario, in the order of the report. */
export function allScenarios(): readonly Scenario[] {
  const policies: readonly PolicyName[] = ['None', 'Basic256Sha256'];
  const overTcp = policies.flatMap((policy) => [
    read(policy, 1, 1),
    read(policy, 1, 50),
    read(policy, DOUBLES, 1),
    read(policy, DOUBLES, 50),
    connect(policy),
    notifications(policy),
  ]);
  return [...overTcp, ...webReads('opc.wss:'), ...webReads('opc.https:')];
}

/** What TLS and a web protocol cost, without security of OPC UA's own. */
function webReads(transport: Transport): Scenario[] {
  const oneByOne = [read('None', 1, 1, transport), read('None', DOUBLES, 1, transport)];
  // A connection of HTTPS has one request on its way.
  return transport === 'opc.https:' ? oneByOne : [...oneByOne, read('None', 1, 50, transport)];
}

function read(policy: PolicyName, nodesPerRequest: number, depth: number, transport: Transport = 'opc.tcp:'): Scenario {
  return {
    name: `read ${nodesPerRequest} depth ${depth} ${policy}${transport === 'opc.tcp:' ? '' : ` over ${transport.slice(0, -1)}`}`,
    unit: 'requests',
    policy,
    transport,
    tickMs: 0,
    hasFloor: policy === 'None',
    start: async (target) => {
      const open = await sessionOpener(target, policy);
      return startReadLoad(await open(), { nodes: target.nodes, nodesPerRequest, depth });
    },
  };
}

function connect(policy: PolicyName): Scenario {
  return {
    name: `connect ${CONNECTS_AT_A_TIME} at a time ${policy}`,
    unit: 'connects',
    policy,
    transport: 'opc.tcp:',
    tickMs: 0,
    hasFloor: policy === 'None',
    start: async (target) => {
      const open = await sessionOpener(target, policy);
      return new ConnectLoad(async () => (await open()).close(), CONNECTS_AT_A_TIME);
    },
  };
}

function notifications(policy: PolicyName): Scenario {
  return {
    name: `notifications ${SESSIONS}x${DOUBLES / SESSIONS} at ${INTERVAL_MS} ms ${policy}`,
    unit: 'notifications',
    policy,
    transport: 'opc.tcp:',
    tickMs: INTERVAL_MS,
    hasFloor: false,
    start: async (target) => {
      const open = await sessionOpener(target, policy);
      const sessions = await Promise.all(Array.from({ length: SESSIONS }, open));
      return NotificationLoad.start(sessions, { nodes: target.nodes, itemsPerSession: DOUBLES / SESSIONS, intervalMs: INTERVAL_MS });
    },
  };
}

/** @returns a function that opens a session in one go: connection, channel, session. */
async function sessionOpener({ url, identity }: Target, policyName: PolicyName): Promise<() => Promise<ClientSession>> {
  if (policyName === 'None') return async () => ClientSession.open(await ClientConnection.open(url, new PlainChannel()), undefined);
  const security = await discoverSecurity(url, SecurityPolicies[policyName], await identity());
  return async () => ClientSession.open(await ClientConnection.open(url, new SecuredChannel(security)), security);
}
