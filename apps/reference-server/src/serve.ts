import { readFile } from 'node:fs/promises';
import type { Logger } from '@bulkhead/contracts';
import { addOpcUa, type OpcUaServer } from '@bulkhead/opcua';
import { type Configuration, ConfigurationError } from './configuration.ts';
import { addReferenceNodes, type ReferenceNodes } from './nodes/reference-nodes.ts';
import { planReferenceServer, type ServerServices, serverOptionsOf } from './server-options.ts';
import { UserList } from './users/user-list.ts';

export { planReferenceServer } from './server-options.ts';

/** The reference server while it runs. */
export interface ReferenceServer {
  readonly endpointUrls: readonly string[];
  /**
   * Takes over from another configuration what can change while the server runs: users and the certificate of the web port. What was
   * granted stays granted, and no connection is closed.
   * @throws Error for a configuration that no server could be started with, or for files that can't be used; nothing changes then.
   */
  reload(configuration: Configuration): Promise<void>;
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
  const users = new UserList(configuration.users);
  const tls = await readTlsFiles(configuration);
  try {
    const server = await addOpcUa()
      .addServer(serverOptionsOf(configuration, { log, validateUser: users.validate, tls }))
      .addNodes(async (space) => {
        nodes = await addReferenceNodes(space, { benchTickMs: configuration.benchTickMs });
      })
      .start();
    return {
      endpointUrls: server.endpointUrls,
      reload: (next) => reload(server, users, next),
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

/** Everything that can fail comes first. */
async function reload(server: OpcUaServer, users: UserList, configuration: Configuration): Promise<void> {
  planReferenceServer(configuration);
  const tls = await readTlsFiles(configuration);
  if (tls !== undefined) server.reloadWebCertificate(tls);
  users.replace(configuration.users);
}

/** @throws ConfigurationError for files that cannot be read */
export async function readTlsFiles({ web }: Configuration): Promise<ServerServices['tls']> {
  if (web?.certificateFile === undefined || web.privateKeyFile === undefined) return undefined;
  return {
    cert: await readPem('web.certificateFile', web.certificateFile),
    key: await readPem('web.privateKeyFile', web.privateKeyFile),
  };
}

async function readPem(path: string, fileName: string): Promise<string> {
  try {
    return await readFile(fileName, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${path}: ${JSON.stringify(fileName)} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
