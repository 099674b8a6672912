import { join } from 'node:path';
import type { ServerOptions } from '@bulkhead/opcua';
import { addReferenceNodes, type ReferenceNodes, type ReferenceNodesOptions } from '@bulkhead/reference-server';
import { startTestServer, type TestServer } from './test-server.ts';

/** The reference server's nodes on a free port of a loopback address. */
export interface ReferenceTestServer extends TestServer {
  readonly endpointUrl: string;
  /** Its certificate store. */
  readonly pkiFolder: string;
}

export const POLICIES = ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const;

/** Starts a server with the reference nodes, every policy, and anonymous users unless `options` say otherwise. */
export async function startReferenceTestServer(
  options: Partial<ServerOptions> = {},
  nodesOptions: ReferenceNodesOptions = {},
): Promise<ReferenceTestServer> {
  let nodes: ReferenceNodes | undefined;
  const test = await startTestServer(
    async (space) => {
      nodes = await addReferenceNodes(space, nodesOptions);
    },
    { security: { policies: POLICIES }, ...options },
  );
  const endpointUrl = test.server.endpointUrls[0] ?? '';
  return {
    ...test,
    endpointUrl,
    pkiFolder: test.server.options.pki.folder,
    end: async () => {
      nodes?.stop();
      await test.end();
    },
  };
}

/** The folder of the applications that a server trusts. */
export function trustedFolder(test: ReferenceTestServer): string {
  return join(test.pkiFolder, 'trusted', 'certs');
}
