import type { SessionContext, Timers } from '@bulkhead/contracts';
import { type DataValue, type StatusCode, StatusCodes } from '@bulkhead/types';
import type { OperationCaller } from './attribute-reader.ts';
import type { CallbackErrors } from './callback-errors.ts';
import type { WriteContext } from './node-options.ts';
import type { PlainValues } from './plain-values.ts';
import { isThenable } from './thenable.ts';
import type { VariableDetails, VariableNode } from './variable-node.ts';

/** What write callbacks need of the rest of the address space. */
export interface WriteCallbackParts {
  readonly timers: Timers;
  /** After which a callback that hasn't answered counts as BadTimeout. */
  readonly timeoutMs: number;
  readonly errors: CallbackErrors;
  readonly plainValues: PlainValues;
  /** Stores a value and tells the observers. */
  readonly store: (node: VariableNode, value: DataValue) => void;
}

/** Writes variables that hand written values to a callback. */
export class WriteCallbacks {
  readonly #parts: WriteCallbackParts;

  constructor(parts: WriteCallbackParts) {
    this.#parts = parts;
  }

  /** @param value checked. Never throws or rejects. */
  write(
    session: SessionContext | undefined,
    node: VariableNode,
    details: VariableDetails,
    value: DataValue,
    caller: OperationCaller | undefined,
  ): StatusCode | Promise<StatusCode> {
    const { errors, plainValues } = this.#parts;
    try {
      const context = new CallbackContext(node, session, value, caller);
      const answer: unknown = details.write?.(plainValues.of(value.value), context);
      return isThenable(answer) ? this.#await(answer, context, details) : this.#finish(answer, context, details);
    } catch (error) {
      return errors.toStatus(error, 'write', node);
    }
  }

  #await(answer: PromiseLike<unknown>, context: CallbackContext, details: VariableDetails): Promise<StatusCode> {
    const { errors, timers, timeoutMs } = this.#parts;
    return new Promise((resolve) => {
      let isOver = false;
      const timer = timers.after(timeoutMs, () => {
        isOver = true;
        errors.warn('write-callback-timeout', context.variable, { timeoutMs });
        resolve(StatusCodes.BadTimeout);
        context.expire();
      });
      const end = (status: () => StatusCode): void => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        resolve(status());
      };
      answer.then(
        (result) => end(() => this.#finish(result, context, details)),
        (error: unknown) => end(() => errors.toStatus(error, 'write', context.variable)),
      );
    });
  }

  #finish(result: unknown, { variable, dataValue }: CallbackContext, details: VariableDetails): StatusCode {
    const status = typeof result === 'number' ? result : StatusCodes.Good;
    // A variable with a source shows what the source says, not what was sent.
    if (details.read === undefined && status >>> 30 === 0) this.#parts.store(variable, dataValue);
    return status;
  }
}

class CallbackContext implements WriteContext {
  readonly variable: VariableNode;
  readonly session: SessionContext | undefined;
  readonly dataValue: DataValue;
  readonly #caller: OperationCaller | undefined;
  #expiry: AbortController | undefined;
  #signal: AbortSignal | undefined;

  constructor(variable: VariableNode, session: SessionContext | undefined, dataValue: DataValue, caller: OperationCaller | undefined) {
    this.variable = variable;
    this.session = session;
    this.dataValue = dataValue;
    this.#caller = caller;
  }

  /** Made when it is asked for: most callbacks never do. */
  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      this.#expiry ??= new AbortController();
      const { signal } = this.#expiry;
      this.#signal = this.#caller === undefined ? signal : AbortSignal.any([signal, this.#caller.signal]);
    }
    return this.#signal;
  }

  expire(): void {
    this.#expiry ??= new AbortController();
    this.#expiry.abort(new Error('the write took too long'));
  }
}
