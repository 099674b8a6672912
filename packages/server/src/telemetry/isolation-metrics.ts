import { type RefusalReason, refusalReasons, Stage, type StageName, stageNames } from '@bulkhead/resource-isolation';
import { type Attributes, type BatchObservableResult, type MeterProvider, metrics } from '@opentelemetry/api';
import type { IsolationReport } from '../isolation/server-isolation.ts';

/** Everything that can be a label: a fixed number of combinations, none of which says who a caller is. */
const stageLabels: readonly (readonly [Stage, Attributes])[] = stageNames.map((stage) => [Stage[stage], { stage }]);
const rejectionLabels: readonly (readonly [Stage, RefusalReason, Attributes])[] = stageNames.flatMap((stage: StageName) =>
  refusalReasons.map((reason) => [Stage[stage], reason, { stage, reason }] as const),
);

/**
 * Reports how full the stages are, how many callers are tracked and what was rejected. Numbers are looked up when somebody collects
 * them; without an OpenTelemetry SDK nobody does, and nothing is kept.
 * @param provider default: the one that is registered globally at this time.
 * @returns what ends it.
 */
export function observeIsolation(isolation: IsolationReport, provider: MeterProvider = metrics.getMeterProvider()): Disposable {
  const meter = provider.getMeter('@bulkhead/server');
  const usage = meter.createObservableUpDownCounter('opcua.server.isolation.usage', {
    description: 'In use of each stage: operations, or bytes for ReassemblyBytes and RequestQueueBytes.',
  });
  const owners = meter.createObservableUpDownCounter('opcua.server.isolation.owners', {
    description: 'Groups of callers that have something in use.',
    unit: '{owner}',
  });
  const rejections = meter.createObservableCounter('opcua.server.isolation.rejections', {
    description: 'What was not admitted, by stage and reason.',
    unit: '{rejection}',
  });
  const observe = (result: BatchObservableResult): void => {
    const used = isolation.usage();
    for (const [stage, labels] of stageLabels) result.observe(usage, used[stage]?.used ?? 0, labels);
    result.observe(owners, isolation.trackedOwnerCount);
    for (const [stage, reason, labels] of rejectionLabels) result.observe(rejections, isolation.refusalCount(stage, reason), labels);
  };
  const observed = [usage, owners, rejections];
  meter.addBatchObservableCallback(observe, observed);
  return { [Symbol.dispose]: () => meter.removeBatchObservableCallback(observe, observed) };
}
