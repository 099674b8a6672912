import type { AddressSpace } from '@bulkhead/address-space';
import { addAccessNodes } from './access-nodes.ts';
import { addBenchNodes, addCounters, type Every } from './changing-nodes.ts';
import { addDataAccessNodes } from './data-access-nodes.ts';
import { addMethodNodes } from './method-nodes.ts';
import { REFERENCE_NAMESPACE_URI } from './node-ids.ts';
import { addShapeNodes } from './shape-nodes.ts';
import { addSourceNodes } from './source-nodes.ts';
import { addSpecialNodes, addStaticNodes } from './static-nodes.ts';
import { addStructureNodes } from './structure-nodes.ts';

export interface ReferenceNodesOptions {
  /** Milliseconds between two changes of all `Bench.Double` variables. Default 0: they don't change. */
  readonly benchTickMs?: number;
  /** Default: an interval of the process. */
  readonly every?: Every;
}

/** The nodes while some of them change. */
export interface ReferenceNodes {
  /** Ends all changes. May be called again. */
  stop(): void;
}

/** Adds the folder `Bulkhead` with everything that a client could want to try, and starts the counters. Namespace 0 must be loaded. */
export async function addReferenceNodes(space: AddressSpace, options: ReferenceNodesOptions = {}): Promise<ReferenceNodes> {
  const { benchTickMs = 0, every = everyInterval } = options;
  const stops: (() => void)[] = [];
  const everyOwned: Every = (periodMs, run) => {
    const stop = every(periodMs, run);
    stops.push(stop);
    return stop;
  };
  const namespace = space.namespaces.register(REFERENCE_NAMESPACE_URI);
  const root = space.addFolder({ browseName: 'Bulkhead', nodeId: 's=Bulkhead', namespace });
  addStaticNodes(root);
  addSpecialNodes(root);
  addDataAccessNodes(root);
  addShapeNodes(root);
  addSourceNodes(root);
  const methods = addMethodNodes(root);
  await addStructureNodes(space, root, methods);
  addAccessNodes(root);
  addBenchNodes(root, benchTickMs, everyOwned);
  addCounters(root, everyOwned);
  return {
    stop: () => {
      for (const stop of stops.splice(0)) stop();
    },
  };
}

function everyInterval(periodMs: number, run: () => void): () => void {
  const interval = setInterval(run, periodMs);
  return () => clearInterval(interval);
}
