import type { ServiceContext } from '@bulkhead/contracts';

/** One operation of a service: its result, or a promise where the data source is slow. */
export type Operation<Item, Result> = (item: Item, context: ServiceContext) => Result | Promise<Result>;

/** Told around each stretch of operations that run without a break. */
export interface Stretch {
  begin(): void;
  end(): void;
}

/** Operations between two looks at the clock. */
const SLICE_CHECK_INTERVAL = 16;

/**
 * Runs the operations of one request in order. Stays synchronous while every operation is and the time slice lasts; slow
 * operations run side by side, and a spent slice lets others in before the next operation.
 */
export function runOperations<Item, Result>(
  items: readonly Item[],
  context: ServiceContext,
  operation: Operation<Item, Result>,
  stretch?: Stretch,
): Result[] | Promise<Result[]> {
  return new OperationRun(items, context, operation, stretch).proceed();
}

/** The operations of one request on their way. */
class OperationRun<Item, Result> {
  readonly #items: readonly Item[];
  readonly #context: ServiceContext;
  readonly #operation: Operation<Item, Result>;
  readonly #stretch: Stretch | undefined;
  readonly #results: (Result | Promise<Result>)[];
  #position = 0;
  #hasPending = false;
  /** Where the present stretch began: it makes at least one step, however short its slice. */
  #resumedAt = 0;

  constructor(items: readonly Item[], context: ServiceContext, operation: Operation<Item, Result>, stretch: Stretch | undefined) {
    this.#items = items;
    this.#context = context;
    this.#operation = operation;
    this.#stretch = stretch;
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
    for (let i = this.#position; i < length; this.#position = ++i) {
      if (i > 0 && i % SLICE_CHECK_INTERVAL === 0 && i !== this.#resumedAt && this.#context.slice.isSpent()) return;
      const result = this.#operation(this.#items[i] as Item, this.#context);
      if (result instanceof Promise) {
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
