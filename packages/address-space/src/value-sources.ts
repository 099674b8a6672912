import type { Timers } from '@bulkhead/contracts';
import { DataValue, type DateTime, type StatusCode, StatusCodes, UaStatusError, Variant } from '@bulkhead/types';
import type { CallbackErrors } from './callback-errors.ts';
import { PendingRead } from './pending-read.ts';
import { isThenable } from './thenable.ts';
import type { TurnClock } from './turn-clock.ts';
import type { ValueChecker } from './value-checker.ts';
import type { ValueConverter } from './value-converter.ts';
import type { VariableDetails, VariableNode } from './variable-node.ts';

/** Reads variables that get their value from a callback. At most one read per variable is under way; others join it. */
export class ValueSources {
  readonly #clock: TurnClock;
  readonly #timers: Timers;
  readonly #timeoutMs: number;
  readonly #converter: ValueConverter;
  readonly #checker: ValueChecker;
  readonly #errors: CallbackErrors;

  /** @param timeoutMs after which a source that hasn't answered counts as BadTimeout. */
  constructor(
    clock: TurnClock,
    timers: Timers,
    timeoutMs: number,
    converter: ValueConverter,
    checker: ValueChecker,
    errors: CallbackErrors,
  ) {
    this.#clock = clock;
    this.#timers = timers;
    this.#timeoutMs = timeoutMs;
    this.#converter = converter;
    this.#checker = checker;
    this.#errors = errors;
  }

  /**
   * @param maxAgeMs a value got so recently will do; 0 asks for a fresh one. OPC 10000-4 §5.11.2.
   * @param caller whose cancellation ends its wait; asked for its signal only when the source doesn't answer at once.
   */
  read(
    node: VariableNode,
    details: VariableDetails,
    maxAgeMs: number,
    caller: { readonly signal: AbortSignal } | undefined,
  ): DataValue | Promise<DataValue> {
    if (maxAgeMs > 0 && this.#isFresh(node.current, maxAgeMs)) return node.current;
    const running = details.pending;
    if (running !== undefined) {
      running.join(caller?.signal);
      return running.result;
    }
    const pending = new PendingRead();
    let answer: unknown;
    try {
      answer = details.read?.({ variable: node, signal: pending.controller.signal });
    } catch (error) {
      return this.#keep(node, this.#failed(error, node));
    }
    if (!isThenable(answer)) return this.#keep(node, this.#toDataValue(node, details, answer));
    details.pending = pending;
    pending.join(caller?.signal);
    this.#await(node, details, pending, answer);
    return pending.result;
  }

  #await(node: VariableNode, details: VariableDetails, pending: PendingRead, answer: PromiseLike<unknown>): void {
    const timer = this.#timers.after(this.#timeoutMs, () => {
      this.#errors.warn('read-callback-timeout', node, { timeoutMs: this.#timeoutMs });
      finish(this.#status(StatusCodes.BadTimeout));
      pending.controller.abort(new Error('the read took too long'));
    });
    const finish = (value: DataValue): void => {
      if (pending.isSettled) return;
      timer.cancel();
      details.pending = undefined;
      pending.settle(this.#keep(node, value));
    };
    pending.controller.signal.addEventListener('abort', () => finish(this.#status(StatusCodes.BadRequestCancelledByClient)), {
      once: true,
    });
    answer.then(
      (value) => finish(this.#toDataValue(node, details, value)),
      (error: unknown) => finish(this.#failed(error, node)),
    );
  }

  #keep(node: VariableNode, value: DataValue): DataValue {
    node.current = value;
    return value;
  }

  #isFresh(value: DataValue, maxAgeMs: number): boolean {
    if (value.serverTimestamp === undefined) return false;
    return this.#clock.utcNow().unixMs - value.serverTimestamp.unixMs <= maxAgeMs;
  }

  #toDataValue(node: VariableNode, details: VariableDetails, answer: unknown): DataValue {
    try {
      return this.complete(answer, node, details.arrayDimensions, StatusCodes.Good, undefined);
    } catch (error) {
      // What the callback threw is its answer; a value that can't be sent is a mistake in it.
      if (error instanceof UaStatusError) this.#errors.warn('read-callback-value-invalid', node, { error });
      return this.#failed(error, node);
    }
  }

  #failed(error: unknown, node: VariableNode): DataValue {
    return this.#status(this.#errors.toStatus(error, 'read', node));
  }

  #status(statusCode: StatusCode): DataValue {
    const now = this.#clock.utcNow();
    return new DataValue(undefined, statusCode, now, now);
  }

  /**
   * A DataValue with both timestamps of a plain value, a Variant, or a DataValue; the last is taken as it is.
   * @throws UaStatusError when the value doesn't fit the variable's DataType.
   */
  complete(
    value: unknown,
    node: VariableNode,
    arrayDimensions: readonly number[] | undefined,
    statusCode: StatusCode,
    sourceTimestamp: DateTime | undefined,
  ): DataValue {
    const now = this.#clock.utcNow();
    if (value instanceof DataValue) {
      return new DataValue(
        value.value,
        value.statusCode,
        value.sourceTimestamp ?? now,
        value.serverTimestamp ?? now,
        value.sourcePicoseconds,
        value.serverPicoseconds,
      );
    }
    const { dataType, valueRank } = node;
    const variant = value instanceof Variant ? value : this.#converter.toVariant(value, { dataType, valueRank, arrayDimensions });
    const accepted = this.#checker.accept(variant, { dataType, valueRank, arrayDimensions });
    if (typeof accepted === 'number')
      throw new UaStatusError(accepted, `a value for ${node.name} fits neither its DataType nor its ValueRank`);
    return new DataValue(accepted, statusCode, sourceTimestamp ?? now, now);
  }
}
