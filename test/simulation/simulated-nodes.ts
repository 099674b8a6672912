import type { AddressSpace, VariableNode } from '@bulkhead/address-space';
import type { SeededRandom } from '@bulkhead/testkit';
import { NodeId, StatusCodes, UaStatusError } from '@bulkhead/types';
import { coreNodeSet } from './core-nodes.ts';
import type { SimulationOptions } from './options.ts';
import type { SimulationClock } from './simulation-clock.ts';

const COUNTER_COUNT = 6;

/** Names of the nodes that clients read: some answer at once, some take the event loop's time, some are slow, some fail. */
export const readableNodes = ['Counter0', 'Counter1', 'Costly', 'Slow', 'Broken'] as const;
/** Names of the methods of `machineId`. */
export const methodNames = ['Work', 'Wait', 'Deaf', 'Throws', 'Rejects'] as const;

export const machineId: NodeId = nodeIdOf('Machine');

export function nodeIdOf(name: string): NodeId {
  return NodeId.string(1, name);
}

export function counterName(index: number): string {
  return `Counter${index % COUNTER_COUNT}`;
}

/** What the simulated server is about. */
export class SimulatedNodes {
  readonly #clock: SimulationClock;
  readonly #random: SeededRandom;
  readonly #options: SimulationOptions;
  readonly #counters: VariableNode[] = [];
  readonly #values: number[] = [];

  constructor(clock: SimulationClock, random: SeededRandom, options: SimulationOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#options = options;
  }

  async addTo(space: AddressSpace): Promise<void> {
    await space.loadNodeSet(coreNodeSet);
    const { readCostMs, maxMessageSize } = this.#options;
    for (let i = 0; i < COUNTER_COUNT; i++) {
      this.#values.push(0);
      this.#counters.push(space.addVariable({ browseName: counterName(i), nodeId: `s=${counterName(i)}`, dataType: 'Int32', value: 0 }));
    }
    space.addVariable({ browseName: 'Costly', nodeId: 's=Costly', dataType: 'Int32', read: () => this.#work(readCostMs) });
    space.addVariable({ browseName: 'Slow', nodeId: 's=Slow', dataType: 'Int32', read: () => this.#later() });
    space.addVariable({ browseName: 'Broken', nodeId: 's=Broken', dataType: 'Int32', read: () => this.#fail() });
    const blob = Buffer.alloc(Math.floor(maxMessageSize * 0.75));
    space.addVariable({ browseName: 'Blob', nodeId: 's=Blob', dataType: 'ByteString', value: blob });
    this.#addMachine(space);
  }

  /** One of the counters counts. */
  change(): void {
    const at = this.#random.nextInt(COUNTER_COUNT);
    const value = (this.#values[at] as number) + 1;
    this.#values[at] = value;
    this.#counters[at]?.setValue(value);
  }

  #addMachine(space: AddressSpace): void {
    const machine = space.addObject({ browseName: 'Machine', nodeId: 's=Machine' });
    const callbacks: Record<(typeof methodNames)[number], (signal: AbortSignal) => readonly unknown[] | Promise<readonly unknown[]>> = {
      Work: () => {
        this.#work(this.#options.readCostMs);
        return [];
      },
      Wait: (signal) => this.#wait(signal),
      // Ends when it likes, whatever it is told.
      Deaf: () => this.#later().then(() => []),
      Throws: () => this.#fail(),
      Rejects: () => Promise.reject(new UaStatusError(StatusCodes.BadResourceUnavailable, 'as always')),
    };
    for (const browseName of methodNames) {
      const callback = callbacks[browseName];
      machine.addMethod({ browseName, nodeId: `s=${browseName}`, call: (_inputs, { signal }) => callback(signal) });
    }
  }

  #work(ms: number): number {
    this.#clock.elapse(ms);
    return 1;
  }

  #later(): Promise<number> {
    return new Promise((resolve) => this.#clock.after(this.#random.nextInt(this.#options.slowMs + 1), () => resolve(1)));
  }

  #wait(signal: AbortSignal): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(this.#random.nextInt(this.#options.slowMs + 1), () => resolve([]));
      signal.addEventListener('abort', () => {
        timer.cancel();
        reject(signal.reason as Error);
      });
    });
  }

  #fail(): never {
    throw new Error('a callback that fails');
  }
}
