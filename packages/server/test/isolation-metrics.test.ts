import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusalReasons, Stage, stageNames } from '@bulkhead/resource-isolation';
import { metrics } from '@opentelemetry/api';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { describe, expect, it, vi } from 'vitest';
import { OpcUaServer, resolveServerOptions } from '../src/index.ts';
import { createIsolation } from '../src/isolation.ts';
import { observeIsolation } from '../src/telemetry/isolation-metrics.ts';
import { TestRuntime } from './harness.ts';

const NEVER_BY_ITSELF_MS = 3_600_000;
const address = '10.11.12.13';

function isolate() {
  const given = {
    applicationName: 'Test',
    resourceIsolation: { stages: [{ stage: 'RequestExecution', ownerHardLimit: 1 }] },
  } as const;
  return createIsolation(resolveServerOptions(given), given, new TestRuntime(), () => []);
}

/** An SDK that keeps in memory what it collects. */
class Collector {
  readonly #exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({ exporter: this.#exporter, exportIntervalMillis: NEVER_BY_ITSELF_MS });
  readonly provider = new MeterProvider({ readers: [this.#reader] });

  /** Value by labels, by name of the metric. */
  async collect(): Promise<Map<string, Map<string, unknown>>> {
    const { resourceMetrics, errors } = await this.#reader.collect();
    expect(errors).toEqual([]);
    const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return new Map(
      all.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        new Map(dataPoints.map(({ attributes, value }) => [Object.values(attributes).join(' '), value])),
      ]),
    );
  }

  end(): Promise<void> {
    return this.provider.shutdown();
  }
}

describe('metrics of isolation', () => {
  it('RI-44 give usage by stage, owners, and rejections by stage and reason, as they are when they are collected', async () => {
    const collector = new Collector();
    const isolation = isolate();
    using _observing = observeIsolation(isolation, collector.provider);
    const { provider } = isolation;
    const owner = provider.classifyIngress(address);
    const lease = provider.tryAcquire(Stage.RequestExecution, owner, 1);
    provider.tryAcquire(Stage.RequestExecution, owner, 1);
    provider.tryAcquire(Stage.RequestExecution, { ...owner, key: 'nobody', ownerClass: 'Trusted' }, 1);

    let collected = await collector.collect();
    expect([...collected.keys()].sort()).toEqual([
      'opcua.server.isolation.owners',
      'opcua.server.isolation.rejections',
      'opcua.server.isolation.usage',
    ]);
    const usage = collected.get('opcua.server.isolation.usage');
    expect([...(usage?.keys() ?? [])]).toEqual(stageNames);
    expect(usage?.get('RequestExecution')).toBe(1);
    expect(collected.get('opcua.server.isolation.owners')).toEqual(new Map([['', 1]]));
    const rejections = collected.get('opcua.server.isolation.rejections');
    expect([...(rejections?.keys() ?? [])]).toEqual(stageNames.flatMap((stage) => refusalReasons.map((reason) => `${stage} ${reason}`)));
    expect(rejections?.get('RequestExecution OwnerLimit')).toBe(1);
    expect(rejections?.get('RequestExecution InvalidOwner')).toBe(1);
    expect(rejections?.get('RequestExecution Capacity')).toBe(0);

    if (lease.kind === 'lease') lease[Symbol.dispose]();
    collected = await collector.collect();
    expect(collected.get('opcua.server.isolation.usage')?.get('RequestExecution')).toBe(0);
    expect(collected.get('opcua.server.isolation.owners')?.get('')).toBe(0);
    await collector.end();
  });

  it('RI-44 never say who a caller is, however many there are', async () => {
    const collector = new Collector();
    const isolation = isolate();
    using _observing = observeIsolation(isolation, collector.provider);
    for (let at = 0; at < 200; at++) isolation.provider.tryAcquire(Stage.Connection, isolation.provider.classifyIngress(`10.0.0.${at}`), 1);
    const collected = await collector.collect();
    const labels = [...collected.values()].flatMap((points) => [...points.keys()]);
    expect(labels).toHaveLength(stageNames.length + 1 + stageNames.length * refusalReasons.length);
    expect(labels.join()).not.toMatch(/address|10\.0|:/u);
    await collector.end();
  });

  it('RI-44 ask a server nothing any more once it has ended', async () => {
    const collector = new Collector();
    const isolation = isolate();
    const asked = vi.spyOn(isolation, 'usage');
    const observing = observeIsolation(isolation, collector.provider);
    expect(asked).not.toHaveBeenCalled();
    await collector.collect();
    await collector.collect();
    expect(asked).toHaveBeenCalledTimes(2);
    observing[Symbol.dispose]();
    await collector.collect();
    expect(asked).toHaveBeenCalledTimes(2);
    await collector.end();
  });

  it('RI-44 come from a running server, and from none that has stopped', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bulkhead-metrics-'));
    const collector = new Collector();
    const options = { applicationName: 'Test', port: 0, pki: { folder }, meterProvider: collector.provider };
    const server = await OpcUaServer.start(options);
    const asked = vi.spyOn(server.isolation, 'usage');
    expect((await collector.collect()).get('opcua.server.isolation.usage')?.get('Connection')).toBe(0);
    expect(asked).toHaveBeenCalledOnce();
    await server.stop();
    await collector.collect();
    expect(asked).toHaveBeenCalledOnce();
    await collector.end();
    rmSync(folder, { recursive: true, force: true });
  });

  it('RI-44 go to the provider that is registered globally, and nowhere without one', async () => {
    const isolation = isolate();
    expect(() => observeIsolation(isolation)[Symbol.dispose]()).not.toThrow();
    const collector = new Collector();
    metrics.setGlobalMeterProvider(collector.provider);
    try {
      using _observing = observeIsolation(isolation);
      expect((await collector.collect()).get('opcua.server.isolation.owners')?.get('')).toBe(0);
    } finally {
      metrics.disable();
    }
    await collector.end();
  });
});
