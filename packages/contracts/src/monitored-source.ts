import type { DataValue, ReadValueId, StatusCode } from '@bulkhead/types';
import type { SessionContext } from './session-context.ts';

/** Belongs to a Session, which may change. */
export interface SessionHolder {
  readonly session: SessionContext;
}

/** Something a MonitoredItem watches: one attribute of one node, resolved and checked. */
export interface MonitoredTarget {
  /** Fastest sensible sampling in ms; 0 when changes are reported by `observe`. */
  readonly minimumSamplingIntervalMs: number;
  /** Built-in type id of numbers for deadbands; undefined when the attribute is no number (deadband not allowed). */
  readonly numericType: number | undefined;
  /** EURange for percent deadbands; undefined when the node has none. */
  readonly euRange: { readonly low: number; readonly high: number } | undefined;
  /** Current value with both timestamps, index range and encoding applied. Asked per sample when `observe` isn't possible. */
  read(session: SessionContext): DataValue | Promise<DataValue>;
  /**
   * Reports each new value from now on, without polling.
   * @param holder whose Session at the time decides what may be seen: a Subscription moves from one to another.
   * @returns how to stop, or undefined when this target has to be sampled.
   */
  observe(onValue: (value: DataValue) => void, holder: SessionHolder): (() => void) | undefined;
}

/** Opens targets for MonitoredItems; the address space implements it. */
export interface MonitoredSource {
  /** @returns the target, or the StatusCode for this item (BadNodeIdUnknown, BadAttributeIdInvalid, BadIndexRangeInvalid …). */
  open(item: ReadValueId, session: SessionContext): MonitoredTarget | StatusCode;
}
