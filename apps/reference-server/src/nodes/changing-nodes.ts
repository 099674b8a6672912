import type { ObjectNode } from '@bulkhead/address-space';
import { BENCH_VARIABLE_COUNT, counterPeriodsMs } from './node-ids.ts';

/** Runs something again and again; returns how to stop. */
export type Every = (periodMs: number, run: () => void) => () => void;

/**
 * Doubles for measurements, and one to write.
 * @param tickMs changes all of them every so often; 0: never.
 */
export function addBenchNodes(parent: ObjectNode, tickMs: number, every: Every): void {
  const folder = parent.addFolder({ browseName: 'Bench', nodeId: 's=Bench' });
  const variables = Array.from({ length: BENCH_VARIABLE_COUNT }, (_, i) =>
    folder.addVariable({ browseName: `Double.${i}`, nodeId: `s=Bench.Double.${i}`, dataType: 'Double', value: i / 10 }),
  );
  folder.addVariable({ browseName: 'Writable', nodeId: 's=Bench.Writable', dataType: 'Double', value: 0, writable: true });
  if (tickMs === 0) return;
  let tick = 0;
  every(tickMs, () => {
    tick++;
    for (const [i, variable] of variables.entries()) variable.setValue(tick + i / BENCH_VARIABLE_COUNT);
  });
}

/** Variables that count up at fixed intervals. */
export function addCounters(parent: ObjectNode, every: Every): void {
  const folder = parent.addFolder({ browseName: 'Counters', nodeId: 's=Counter' });
  for (const [name, periodMs] of Object.entries(counterPeriodsMs)) {
    const counter = folder.addVariable({
      browseName: name,
      nodeId: `s=Counter.${name}`,
      dataType: 'UInt32',
      value: 0,
      minimumSamplingInterval: periodMs,
    });
    let count = 0;
    every(periodMs, () => {
      count = (count + 1) >>> 0;
      counter.setValue(count);
    });
  }
}
