import type { MonitoredTarget } from '@bulkhead/contracts';
import {
  AggregateFilter,
  AttributeIds,
  BuiltInType,
  DataChangeFilter,
  DataChangeTrigger,
  type DataValue,
  DeadbandType,
  EventFilter,
  type ExtensionObject,
  type StatusCode,
  StatusCodes,
  type Variant,
} from '@bulkhead/types';
import { timesEqual, variantsEqual } from './value-equality.ts';

/** Decides which samples of a MonitoredItem become Notifications. Immutable. OPC 10000-4 §7.22.2. */
export interface ValueChangeFilter {
  readonly trigger: DataChangeTrigger;
  /** Absolute deadband; undefined without one. A percent deadband is turned into an absolute one by the target's EURange. */
  readonly deadband: number | undefined;
}

/** What counts when the client gives no filter: status or value. OPC 10000-4 §7.22.2. */
export const defaultValueChangeFilter: ValueChangeFilter = { trigger: DataChangeTrigger.StatusValue, deadband: undefined };

/**
 * Turns the filter of a request into one for this target.
 *
 * Events come in here later: an EventFilter on the EventNotifier attribute will give another kind of filter. Until then that
 * attribute can't be monitored and every filter but DataChangeFilter is unsupported.
 * @returns the filter, or the StatusCode for the item: BadMonitoredItemFilterUnsupported (EventFilter, AggregateFilter, the
 * EventNotifier attribute, a percent deadband without EURange), BadMonitoredItemFilterInvalid (anything else that is no
 * DataChangeFilter), BadFilterNotAllowed (deadband on what is no number), BadDeadbandFilterInvalid.
 */
export function createValueChangeFilter(
  filter: ExtensionObject,
  attributeId: number,
  target: MonitoredTarget,
): ValueChangeFilter | StatusCode {
  if (attributeId === AttributeIds.EventNotifier) return StatusCodes.BadMonitoredItemFilterUnsupported;
  if (filter.isNull) return defaultValueChangeFilter;
  if (filter.is(EventFilter) || filter.is(AggregateFilter)) return StatusCodes.BadMonitoredItemFilterUnsupported;
  if (!filter.is(DataChangeFilter)) return StatusCodes.BadMonitoredItemFilterInvalid;
  let decoded: DataChangeFilter;
  try {
    decoded = filter.decode(DataChangeFilter);
  } catch {
    return StatusCodes.BadMonitoredItemFilterInvalid;
  }
  return checkDataChangeFilter(decoded, target);
}

function checkDataChangeFilter(filter: DataChangeFilter, target: MonitoredTarget): ValueChangeFilter | StatusCode {
  const { trigger, deadbandType, deadbandValue } = filter;
  if (!(trigger >= DataChangeTrigger.Status && trigger <= DataChangeTrigger.StatusValueTimestamp)) {
    return StatusCodes.BadMonitoredItemFilterInvalid;
  }
  switch (deadbandType) {
    case DeadbandType.None:
      return { trigger, deadband: undefined };
    case DeadbandType.Absolute:
      if (target.numericType === undefined) return StatusCodes.BadFilterNotAllowed;
      if (!(deadbandValue >= 0) || deadbandValue === Number.POSITIVE_INFINITY) return StatusCodes.BadDeadbandFilterInvalid;
      return { trigger, deadband: deadbandValue };
    case DeadbandType.Percent: {
      if (target.numericType === undefined) return StatusCodes.BadFilterNotAllowed;
      const range = target.euRange;
      if (range === undefined || !(range.high >= range.low)) return StatusCodes.BadMonitoredItemFilterUnsupported;
      if (!(deadbandValue >= 0 && deadbandValue <= 100)) return StatusCodes.BadDeadbandFilterInvalid;
      return { trigger, deadband: (deadbandValue / 100) * (range.high - range.low) };
    }
    default:
      return StatusCodes.BadDeadbandFilterInvalid;
  }
}

/**
 * True when `next` differs from `last`, the value that was queued last, in what the filter watches. Allocates nothing.
 * With a deadband the timestamp trigger counts as the value trigger (OPC 10000-4 §7.22.2).
 */
export function passesFilter(filter: ValueChangeFilter, last: DataValue, next: DataValue): boolean {
  if (last === next) return false;
  if (last.statusCode !== next.statusCode) return true;
  if (filter.trigger === DataChangeTrigger.Status) return false;
  if (filter.deadband !== undefined) return exceedsDeadband(filter.deadband, last.value, next.value);
  if (!variantsEqual(last.value, next.value)) return true;
  return (
    filter.trigger === DataChangeTrigger.StatusValueTimestamp &&
    !(timesEqual(last.sourceTimestamp, next.sourceTimestamp) && last.sourcePicoseconds === next.sourcePicoseconds)
  );
}

function exceedsDeadband(deadband: number, last: Variant | undefined, next: Variant | undefined): boolean {
  if (last === next) return false;
  if (last === undefined || next === undefined || last.type !== next.type || last.isArray !== next.isArray || !isNumeric(next.type)) {
    return !variantsEqual(last, next);
  }
  if (!next.isArray) return differsByMore(deadband, last.value, next.value);
  const left = last.elements;
  const right = next.elements;
  if (left === undefined || right === undefined || left.length !== right.length) return left !== right;
  for (let i = 0; i < right.length; i++) {
    if (differsByMore(deadband, left[i], right[i])) return true;
  }
  return false;
}

function differsByMore(deadband: number, last: unknown, next: unknown): boolean {
  if (typeof next === 'bigint') return Math.abs(Number(next - (last as bigint))) > deadband;
  const difference = Math.abs((next as number) - (last as number));
  // NaN and infinities: no distance can be told, so any change counts.
  return Number.isNaN(difference) ? !Object.is(last, next) : difference > deadband;
}

function isNumeric(type: BuiltInType): boolean {
  return type >= BuiltInType.SByte && type <= BuiltInType.Double;
}
