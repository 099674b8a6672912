import {
  AggregateFilter,
  AttributeIds,
  BuiltInType,
  type BuiltInType as BuiltInTypeId,
  DataChangeTrigger,
  DataValue,
  DateTime,
  DeadbandType,
  EventFilter,
  ExtensionObject,
  LocalizedText,
  NodeId,
  ReadValueId,
  StatusCodes,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createValueChangeFilter, passesFilter, type ValueChangeFilter } from '../src/data-change-filter.ts';
import { dataChangeFilter, FakeTarget } from './harness.ts';

const { Status, StatusValue, StatusValueTimestamp } = DataChangeTrigger;

function filterOf(filter: ExtensionObject, target: Partial<FakeTarget> = {}): ValueChangeFilter | number {
  return createValueChangeFilter(filter, AttributeIds.Value, Object.assign(new FakeTarget(), target));
}

function double(value: number, status: number = StatusCodes.Good, at = 0): DataValue {
  return new DataValue(Variant.double(value), status, DateTime.fromUnixMs(at));
}

describe('DataChangeFilter triggers', () => {
  it.each([
    { trigger: Status, change: 'nothing', next: double(1), passes: false },
    { trigger: Status, change: 'value', next: double(2), passes: false },
    { trigger: Status, change: 'timestamp', next: double(1, 0, 5), passes: false },
    { trigger: Status, change: 'status', next: double(1, StatusCodes.UncertainSimulatedValue), passes: true },
    { trigger: StatusValue, change: 'nothing', next: double(1), passes: false },
    { trigger: StatusValue, change: 'value', next: double(2), passes: true },
    { trigger: StatusValue, change: 'timestamp', next: double(1, 0, 5), passes: false },
    { trigger: StatusValue, change: 'status', next: double(1, StatusCodes.UncertainSimulatedValue), passes: true },
    { trigger: StatusValueTimestamp, change: 'nothing', next: double(1), passes: false },
    { trigger: StatusValueTimestamp, change: 'value', next: double(2), passes: true },
    { trigger: StatusValueTimestamp, change: 'timestamp', next: double(1, 0, 5), passes: true },
    { trigger: StatusValueTimestamp, change: 'status', next: double(1, StatusCodes.UncertainSimulatedValue), passes: true },
  ])('$trigger: a change of $change passes: $passes', ({ trigger, next, passes }) => {
    expect(passesFilter({ trigger, deadband: undefined }, double(1), next)).toBe(passes);
  });

  it('with a deadband the timestamp alone does not count', () => {
    expect(passesFilter({ trigger: StatusValueTimestamp, deadband: 1 }, double(1), double(1, 0, 5))).toBe(false);
  });
});

describe('deadband', () => {
  const array = (...values: number[]) => new DataValue(Variant.array(BuiltInType.Int32, values));
  const int64 = (value: bigint) => new DataValue(Variant.scalar(BuiltInType.Int64, value));
  it.each<[string, DataValue, DataValue, boolean]>([
    ['below', double(10), double(11.9), false],
    ['at the edge', double(10), double(12), false],
    ['above', double(10), double(12.1), true],
    ['below zero', double(1), double(-1.5), true],
    ['NaN stays NaN', double(Number.NaN), double(Number.NaN), false],
    ['to NaN', double(1), double(Number.NaN), true],
    ['infinity stays', double(Number.POSITIVE_INFINITY), double(Number.POSITIVE_INFINITY), false],
    ['status within the band', double(10), double(11, StatusCodes.UncertainSimulatedValue), true],
    ['array, all elements within', array(1, 2, 3), array(2, 3, 5), false],
    ['array, one element beyond', array(1, 2, 3), array(1, 2, 6), true],
    ['array of another length', array(1, 2, 3), array(1, 2), true],
    ['Int64 within', int64(9_007_199_254_740_993n), int64(9_007_199_254_740_995n), false],
    ['Int64 beyond', int64(9_007_199_254_740_993n), int64(9_007_199_254_740_996n), true],
    ['another type', double(1), array(1), true],
    ['no value any more', double(1), new DataValue(undefined), true],
  ])('of 2: %s', (_name, last, next, passes) => {
    expect(passesFilter({ trigger: StatusValue, deadband: 2 }, last, next)).toBe(passes);
  });

  it('in percent is a part of the EURange', () => {
    const filter = filterOf(dataChangeFilter(StatusValue, DeadbandType.Percent, 10), { euRange: { low: -50, high: 150 } });
    expect(filter).toEqual({ trigger: StatusValue, deadband: 20 });
  });

  it.each<[string, ExtensionObject, Partial<FakeTarget>, number]>([
    [
      'absolute on no number',
      dataChangeFilter(StatusValue, DeadbandType.Absolute, 1),
      { numericType: undefined },
      StatusCodes.BadFilterNotAllowed,
    ],
    [
      'percent on no number',
      dataChangeFilter(StatusValue, DeadbandType.Percent, 1),
      { numericType: undefined },
      StatusCodes.BadFilterNotAllowed,
    ],
    ['percent without EURange', dataChangeFilter(StatusValue, DeadbandType.Percent, 1), {}, StatusCodes.BadMonitoredItemFilterUnsupported],
    ['negative', dataChangeFilter(StatusValue, DeadbandType.Absolute, -1), {}, StatusCodes.BadDeadbandFilterInvalid],
    ['not a number', dataChangeFilter(StatusValue, DeadbandType.Absolute, Number.NaN), {}, StatusCodes.BadDeadbandFilterInvalid],
    [
      'percent above 100',
      dataChangeFilter(StatusValue, DeadbandType.Percent, 101),
      { euRange: { low: 0, high: 1 } },
      StatusCodes.BadDeadbandFilterInvalid,
    ],
    ['of unknown type', dataChangeFilter(StatusValue, 3, 1), {}, StatusCodes.BadDeadbandFilterInvalid],
    ['unknown trigger', dataChangeFilter(7 as never), {}, StatusCodes.BadMonitoredItemFilterInvalid],
    ['event filter', ExtensionObject.of(EventFilter, EventFilter.create()), {}, StatusCodes.BadMonitoredItemFilterUnsupported],
    ['aggregate filter', ExtensionObject.of(AggregateFilter, AggregateFilter.create()), {}, StatusCodes.BadMonitoredItemFilterUnsupported],
    ['some other structure', ExtensionObject.of(ReadValueId, ReadValueId.create()), {}, StatusCodes.BadMonitoredItemFilterInvalid],
    ['broken bytes', new ExtensionObject(NodeId.numeric(0, 724), new Uint8Array([1])), {}, StatusCodes.BadMonitoredItemFilterInvalid],
  ])('or filter refused: %s', (_name, filter, target, status) => {
    expect(filterOf(filter, target)).toBe(status);
  });

  it('events can not be monitored yet', () => {
    expect(createValueChangeFilter(ExtensionObject.NULL, AttributeIds.EventNotifier, new FakeTarget())).toBe(
      StatusCodes.BadMonitoredItemFilterUnsupported,
    );
  });
});

describe('value changes', () => {
  const scalar = (type: BuiltInTypeId, value: unknown) => new DataValue(Variant.scalar(type, value as never));
  const pairs: [BuiltInTypeId, () => unknown, unknown][] = [
    [BuiltInType.Boolean, () => true, false],
    [BuiltInType.UInt64, () => 5n, 6n],
    [BuiltInType.String, () => 'a', null],
    [BuiltInType.ByteString, () => Buffer.from('ab'), Buffer.from('ac')],
    [BuiltInType.DateTime, () => DateTime.fromUnixMs(5), DateTime.fromUnixMs(6)],
    [BuiltInType.NodeId, () => NodeId.numeric(1, 5), NodeId.numeric(2, 5)],
    [BuiltInType.LocalizedText, () => new LocalizedText('a', 'en'), new LocalizedText('a', 'de')],
    [BuiltInType.ExtensionObject, () => dataChangeFilter(Status), dataChangeFilter(StatusValue)],
    [BuiltInType.Variant, () => Variant.double(1), Variant.int32(1)],
  ];
  it.each(pairs)('of built-in type %s are told from equal values', (type, make, other) => {
    const filter = { trigger: StatusValue, deadband: undefined };
    expect(passesFilter(filter, scalar(type, make()), scalar(type, make()))).toBe(false);
    expect(passesFilter(filter, scalar(type, make()), scalar(type, other))).toBe(true);
  });

  it('of a matrix count by shape too', () => {
    const matrix = (dimensions: number[]) => new DataValue(Variant.matrix(BuiltInType.Int32, [1, 2, 3, 4, 5, 6], dimensions));
    const filter = { trigger: StatusValue, deadband: undefined };
    expect(passesFilter(filter, matrix([2, 3]), matrix([2, 3]))).toBe(false);
    expect(passesFilter(filter, matrix([2, 3]), matrix([3, 2]))).toBe(true);
  });
});
