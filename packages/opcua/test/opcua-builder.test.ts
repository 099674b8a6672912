import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stage } from '@bulkhead/resource-isolation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addOpcUa,
  ChunkReassemblyBudget,
  MiB,
  OpcUaServer,
  type ResourceIsolationOptions,
  type ServerRateLimitOptions,
} from '../src/index.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bulkhead-builder-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const resourceIsolation: ResourceIsolationOptions = {
  mode: 'TrustedReservations',
  stages: [{ stage: 'Connection', ownerHardLimit: 16 }],
  trustedOwners: [{ key: 'plant', weight: 4 }],
};
const rateLimits: ServerRateLimitOptions = { connectionsPerSecond: 200, maxConcurrentSessionEstablishment: 64, listenBacklog: 99 };
const resourceIsolationClassifier = { classifyIngress: () => ({ key: 'plant', ownerClass: 'Trusted' as const }) };

/** All that can be told apart from outside. */
function essence(server: OpcUaServer): unknown {
  const { isolation, options, resourceIsolation: provider } = server;
  return [isolation.plan, isolation.usage(), options, provider.classifyIngress('10.0.0.1').key];
}

describe('the builder', () => {
  it('RI-46 makes the same server as direct construction with the same options', async () => {
    const basics = { applicationName: 'Same', port: 0, pki: { folder } };
    const addNodes = [(space: OpcUaServer['space']) => void space.addObject({ browseName: 'Boiler', nodeId: 's=Boiler' })];
    await using built = await addOpcUa()
      .addServer(basics)
      .withChunkReassemblyBudget(128 * MiB, 32 * MiB)
      .configureResourceIsolation(resourceIsolation)
      .addResourceIsolationClassifier(resourceIsolationClassifier)
      .configureRateLimits(rateLimits)
      .behindProxy({ trusted: ['10.0.0.0/8'], headerTimeoutMs: 1500 })
      .addNodes(addNodes[0] as (typeof addNodes)[number])
      .start();
    await using direct = await OpcUaServer.start(
      {
        ...basics,
        chunkReassemblyBudget: new ChunkReassemblyBudget(128 * MiB, 32 * MiB),
        resourceIsolation,
        resourceIsolationClassifier,
        rateLimits,
        trustedProxies: ['10.0.0.0/8'],
        proxyProtocol: { headerTimeoutMs: 1500 },
      },
      addNodes,
    );
    expect(essence(built)).toEqual(essence(direct));
    expect(built.isolation.plan?.mode).toBe('TrustedReservations');
    expect(built.isolation.usage()[Stage.ReassemblyBytes]).toMatchObject({ total: 128 * MiB });
    expect(built.isolation.usage()[Stage.Connection]).toMatchObject({ ownerHardLimit: 16, trusted: 1 });
    expect(built.options.rateLimits).toMatchObject(rateLimits);
    expect(built.options.proxyProtocol).toEqual({ headerTimeoutMs: 1500, maxWaitingConnections: 256 });
  });

  it('CB-07 RI-46 checks the sizes of a chunk budget at once, and lets several servers share one', async () => {
    const builder = addOpcUa().addServer({ applicationName: 'Budget', port: 0, pki: { folder } });
    expect(() => builder.withChunkReassemblyBudget(0)).toThrow(/maxBytes/u);
    expect(() => builder.withChunkReassemblyBudget(MiB, 2 * MiB)).toThrow(/maxBytesWithoutSession/u);
    const budget = new ChunkReassemblyBudget(64 * MiB);
    await using first = await builder.withChunkReassemblyBudget(budget).start();
    await using second = await builder.withChunkReassemblyBudget(budget).start();
    const owner = first.resourceIsolation.classifyIngress('10.0.0.1');
    const lease = first.resourceIsolation.tryAcquire(Stage.ReassemblyBytes, owner, 30 * MiB);
    expect(budget.usedBytes).toBe(30 * MiB);
    expect(second.resourceIsolation.getUsage(Stage.ReassemblyBytes)).toBe(0);
    if (lease.kind === 'lease') lease[Symbol.dispose]();
    expect(budget.usedBytes).toBe(0);
  });

  it('gives a new builder with each step, so that a common beginning can be used twice', async () => {
    const common = addOpcUa().addServer({ applicationName: 'Common', port: 0, pki: { folder } });
    common.configureResourceIsolation({ mode: 'FairShare' });
    await using server = await common.start();
    expect(server.isolation.plan?.mode).toBe('Balanced');
  });
});
