import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AddNodes, addOpcUa, type OpcUaServer, type ServerOptions } from '@bulkhead/opcua';
import { Stage, stageNames } from '@bulkhead/resource-isolation';

const END_WITHIN_MS = 5000;

/** A server on a free port with a certificate folder of its own. */
export interface TestServer {
  readonly server: OpcUaServer;
  readonly port: number;
  /** Waits until nothing of the clients is left, checks it, stops the server and removes its folder. */
  end(): Promise<void>;
}

/** Starts a server that allows everything; `options` narrows it down. */
export async function startTestServer(addNodes: AddNodes = () => undefined, options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'bulkhead-test-'));
  const server = await addOpcUa()
    .addServer({
      applicationName: 'Test',
      port: 0,
      security: { policies: ['None', 'Basic256Sha256'] },
      ...options,
      pki: { folder, ...options.pki },
    })
    .addNodes(addNodes)
    .start();
  return {
    server,
    port: Number(new URL(server.endpointUrls[0] ?? '').port),
    end: async () => {
      try {
        await expectNothingLeft(server);
      } finally {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** @throws Error naming what clients left behind, once waiting for it makes no sense any more. */
export async function expectNothingLeft(server: OpcUaServer): Promise<void> {
  const deadlineMs = performance.now() + END_WITHIN_MS;
  let left = leftovers(server);
  while (left.length > 0 && performance.now() < deadlineMs) {
    await new Promise((resolve) => setImmediate(resolve));
    left = leftovers(server);
  }
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
}

/** Everything that clients make a server hold, by name: what it counts, the usage of each stage, and its owners. */
export function usageOf(server: OpcUaServer): Readonly<Record<string, number>> {
  const { timers: _timers, ...counts } = server.counts;
  const provider = server.resourceIsolation;
  const stages = stageNames.map((name) => [name, provider.getUsage(Stage[name])] as const);
  const { usedBytes: retainedBytes } = server.isolation.retained;
  return { ...counts, ...Object.fromEntries(stages), trackedOwners: provider.trackedOwnerCount, retainedBytes };
}

function leftovers(server: OpcUaServer): string[] {
  return Object.entries(usageOf(server))
    .filter(([, count]) => count !== 0)
    .map(([name, count]) => `${count} ${name}`);
}
