import { describe, expect, it } from 'vitest';
import type { ConfigurationJson } from '../src/configuration/file-schema.ts';
import { type Configuration, configurationOf, defaultConfiguration } from '../src/configuration.ts';
import { memoryWarnings, peakMemory } from '../src/memory/peak-memory.ts';
import { type MachineShare, proposeTotals } from '../src/memory/propose-totals.ts';
import { memoryTotals, planReferenceServer } from '../src/server-options.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

const shareOf = (memoryBytes: number, heapBytes = Math.floor(memoryBytes / 2), processors = 2): MachineShare => ({
  memoryBytes,
  heapBytes,
  processors,
  isContainer: true,
});

function propose(share: MachineShare, configured: ConfigurationJson = {}): { configuration: Configuration; json: ConfigurationJson } {
  const json = proposeTotals(configured, share);
  return { json, configuration: { ...defaultConfiguration, ...configurationOf(json, 'test') } as Configuration };
}

const modes: readonly ConfigurationJson[] = [
  {},
  { resourceIsolation: { mode: 'FairShare' } },
  { resourceIsolation: { mode: 'TrustedReservations', trustedOwners: [{ key: 'a' }, { key: 'b' }] } },
];

describe('proposed totals', () => {
  it.each(modes)('BX-11 make a plan that stays within the container, from 256 MiB to 64 GiB: %j', (configured) => {
    for (let memoryBytes = 256 * MiB; memoryBytes <= 64 * GiB; memoryBytes = Math.floor(memoryBytes * 1.3)) {
      const share = shareOf(memoryBytes);
      const { configuration } = propose(share, configured);
      const plan = planReferenceServer(configuration);
      const totals = memoryTotals(configuration);
      expect(memoryWarnings(plan, totals, share), `${memoryBytes / MiB} MiB`).toEqual([]);
      expect(peakMemory(plan, totals).bytes).toBeLessThanOrEqual(memoryBytes);
    }
  });

  it("BX-11 stay within V8's heap, however much memory there is", () => {
    const share = shareOf(32 * GiB, 512 * MiB);
    const { configuration } = propose(share);
    expect(memoryWarnings(planReferenceServer(configuration), memoryTotals(configuration), share)).toEqual([]);
    expect(propose(shareOf(32 * GiB, 4 * GiB)).json.limits?.maxRetainedBytes).toBeGreaterThan(configuration.limits?.maxRetainedBytes ?? 0);
  });

  it('grow with the memory, up to what is sensible for one process', () => {
    const sizes = [256 * MiB, 1 * GiB, 4 * GiB, 16 * GiB].map((bytes) => propose(shareOf(bytes)).json);
    for (const read of [
      ({ limits }: ConfigurationJson) => limits?.maxSessionCount,
      ({ limits }: ConfigurationJson) => limits?.maxReassemblyBytes,
      ({ limits }: ConfigurationJson) => limits?.maxMessageSize,
      ({ subscriptionLimits }: ConfigurationJson) => subscriptionLimits?.maxMonitoredItems,
    ]) {
      const values = sizes.map((json) => read(json) ?? 0);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      expect(values[0]).toBeLessThan(values[2] ?? 0);
    }
    expect(sizes.at(-1)?.limits?.maxMessageSize).toBe(4 * MiB);
  });

  it('leave alone what was configured, and let the rest follow', () => {
    const configured: ConfigurationJson = {
      limits: { maxSessionCount: 7, maxMessageSize: 8 * MiB },
      rateLimits: { connectionsPerSecond: 33 },
      resourceIsolation: { stages: [{ stage: 'RequestQueueBytes', capacity: 300 * MiB }] },
    };
    const { json, configuration } = propose(shareOf(1 * GiB, 512 * MiB, 0.5), configured);
    expect(json.limits).toMatchObject({ maxSessionCount: 7, maxChannelCount: 24, maxMessageSize: 8 * MiB });
    expect(json.rateLimits).toMatchObject({ connectionsPerSecond: 33, maxConcurrentSessionEstablishment: 32 });
    expect(json.resourceIsolation).toEqual(configured.resourceIsolation);
    expect(planReferenceServer(configuration).stages).toHaveLength(8);
  });

  it('say so where mode SharedOnly leaves the bodies of waiting requests without a limit that fits', () => {
    const share = shareOf(1 * GiB);
    const { json, configuration } = propose(share, { resourceIsolation: { mode: 'SharedOnly' } });
    expect(json.resourceIsolation).toEqual({ mode: 'SharedOnly' });
    expect(memoryWarnings(planReferenceServer(configuration), memoryTotals(configuration), share)).toHaveLength(1);
  });

  it('lower the rate of connections where there are fewer than two processors', () => {
    expect(propose(shareOf(1 * GiB, 1 * GiB, 2)).json.rateLimits).toEqual({});
    expect(propose(shareOf(1 * GiB, 1 * GiB, 0.5)).json.rateLimits).toMatchObject({ connectionsPerSecond: 125, connectionBurst: 250 });
  });
});

describe('a plan that is too large', () => {
  const plan = planReferenceServer(defaultConfiguration);
  const totals = memoryTotals(defaultConfiguration);

  it('BX-11 is warned of in a container: in all, on the heap, and a heap beyond the container', () => {
    const warnings = memoryWarnings(plan, totals, shareOf(512 * MiB, 1 * GiB));
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatch(/^The limits allow ~?[\d.,]+ GiB in all, and the container 512 MiB\.$/u);
    expect(warnings[1]).toMatch(/on V8's heap, which ends at 1 GiB\.$/u);
    expect(warnings[2]).toBe("V8's heap may grow to 1 GiB, and the container has 512 MiB.");
    expect(memoryWarnings(plan, totals, shareOf(64 * GiB, 8 * GiB))).toEqual([]);
  });

  it('is nobody’s concern without a container', () => {
    expect(memoryWarnings(plan, totals, { ...shareOf(512 * MiB, 1 * GiB), isContainer: false })).toEqual([]);
  });
});
