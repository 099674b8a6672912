import { setMaxListeners } from 'node:events';
import type { ServiceContext } from '@bulkhead/contracts';

/** One operation of a service: its result, or a promise where the data source is slow. */
export type Operation<Item, Result> = (item: Item, context: ServiceContext) => Result | Promise<Result>;

/** Told around each stretch of operations that run without a break. */
export interface Stretch {
  begin(): void;
  end(): void;
}

/** How operations are run. */
export interface OperationOptions {
  readonly stretch?: Stretch;
  /** Operations between two looks at the clock: 1 where a single one may take long. Default 16. */
  readonly operationsPerLook?: number;
}

const DEFAULT_OPERATIONS_PER_LOOK = 16;

/**
 * Runs the operations of one request in order. Stays synchronous while every operation is and the time slice lasts; slow
 * operations run side by side, and a spent slice lets others in before the next operation.
 */
export function runOperations<Item, Result>(
  items: readonly Item[],
  context: ServiceContext,
  operation: Operation<Item, Result>,
  options: OperationOptions = {},
): Result[] | Promise<Result[]> {
  return new OperationRun(items, context, operation, options).proceed();
}

/** The operations of one request on their way. */
class OperationRun<Item, Result> {
  readonly #items: readonly Item[];
  readonly #context: ServiceContext;
  readonly #operation: Operation<Item, Result>;
  readonly #stretch: Stretch | undefined;
  readonly #operationsPerLook: number;
  readonly #results: (Result | Promise<Result>)[];
  #position = 0;
  #hasPending = false;
  /** Where the present stretch began: it makes at least one step, however short its slice. */
  #resumedAt = 0;

  constructor(items: readonly Item[], context: ServiceContext, operation: Operation<Item, Result>, options: OperationOptions) {
    this.#items = items;
    this.#context = context;
    this.#operation = operation;
    this.#stretch = options.stretch;
    this.#operationsPerLook = options.operationsPerLook ?? DEFAULT_OPERATIONS_PER_LOOK;
    this.#results = new Array(items.length);
  }

  proceed(): Result[] | Promise<Result[]> {
    this.#stretch?.begin();
    try {
      this.#runWhileSliceLasts();
    } finally {
      this.#stretch?.end();
    }
    if (this.#position < this.#items.length) return this.#proceedLater();
    return this.#hasPending ? Promise.all(this.#results) : (this.#results as Result[]);
  }

  #runWhileSliceLasts(): void {
    const { length } = this.#items;
    const operationsPerLook = this.#operationsPerLook;
    for (let i = this.#position; i < length; this.#position = ++i) {
      if (i > 0 && i % operationsPerLook === 0 && i !== this.#resumedAt && this.#context.slice.isSpent()) return;
      const result = this.#operation(this.#items[i] as Item, this.#context);
      if (result instanceof Promise) {
        // All operations may listen for the request's end: nothing to warn of.
        if (!this.#hasPending) setMaxListeners(0, this.#context.signal);
        this.#hasPending = true;
        // A failure is reported by whoever awaits all results; until then it must not count as unhandled.
        result.catch(ignore);
      }
      this.#results[i] = result;
    }
  }

  async #proceedLater(): Promise<Result[]> {
    await this.#context.slice.next();
    this.#context.signal.throwIfAborted();
    this.#resumedAt = this.#position;
    return this.proceed();
  }
}

function ignore(): void {}
