import type { Logger } from '@bulkhead/contracts';
import { addOpcUa, planServer, type ServerOptions } from '@bulkhead/opcua';
import type { ResourceIsolationPlan } from '@bulkhead/resource-isolation';
import type { Configuration } from './configuration.ts';
import { addReferenceNodes, type ReferenceNodes } from './nodes/reference-nodes.ts';
import { createUserValidator } from './users.ts';

/** opc.tcp has 4840, the web port 4843 then. */
const WEB_PORT_DISTANCE = 3;

/** The reference server while it runs. */
export interface ReferenceServer {
  readonly endpointUrls: readonly string[];
  /** Stops the counters and the server; nothing of either keeps the process alive then. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the reference server.
 * @param log silent when left out.
 * @throws whatever keeps it from listening; nothing is left running then.
 */
export async function startReferenceServer(configuration: Configuration, log?: Logger): Promise<ReferenceServer> {
  let nodes: ReferenceNodes | undefined;
  try {
    const server = await addOpcUa()
      .addServer(serverOptions(configuration, log))
      .addNodes(async (space) => {
        nodes = await addReferenceNodes(space, { benchTickMs: configuration.benchTickMs });
      })
      .start();
    return {
      endpointUrls: server.endpointUrls,
      stop: async () => {
        nodes?.stop();
        await server.stop();
      },
    };
  } catch (error) {
    nodes?.stop();
    throw error;
  }
}

/**
 * How the server's limits would be divided, without starting it.
 * @throws Error that names the option which doesn't fit.
 */
export function planReferenceServer(configuration: Configuration): ResourceIsolationPlan {
  return planServer(serverOptions(configuration, undefined));
}

function serverOptions(configuration: Configuration, log: Logger | undefined): ServerOptions {
  const {
    applicationName,
    host,
    port,
    webPort = port === 0 ? 0 : port + WEB_PORT_DISTANCE,
    noWeb = false,
    hostNames,
    pki,
    autoAccept,
    allowAnonymous,
    securityPolicies,
    users,
    limits,
    resourceIsolation,
    rateLimits,
    requestScheduling,
    decoupleHeldPublishRequests,
    classifier,
  } = configuration;
  return {
    applicationName,
    productUri: 'urn:bulkhead:reference-server',
    host,
    port,
    ...(noWeb ? {} : { webPort: { port: webPort }, webSocket: {}, https: { sessionless: {} } }),
    ...(hostNames === undefined ? {} : { hostNames }),
    pki: { folder: pki, autoAcceptUntrustedCertificates: autoAccept },
    security: {
      policies: securityPolicies,
      allowAnonymous,
      ...(users.length === 0 ? {} : { validateUser: createUserValidator(users) }),
    },
    ...withoutUndefined(limits),
    ...(resourceIsolation === undefined ? {} : { resourceIsolation }),
    ...(rateLimits === undefined ? {} : { rateLimits }),
    ...(requestScheduling === undefined ? {} : { requestScheduling }),
    ...(decoupleHeldPublishRequests === undefined ? {} : { decoupleHeldPublishRequests }),
    ...(classifier === undefined ? {} : { resourceIsolationClassifier: classifier }),
    ...(log === undefined ? {} : { log }),
  };
}

function withoutUndefined(limits: Configuration['limits']): Partial<Record<keyof Configuration['limits'], number>> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
