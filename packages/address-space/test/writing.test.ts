import type { VariableNode } from '@bulkhead/address-space';
import {
  AttributeIds,
  AttributeWriteMask,
  BuiltInType,
  DataValue,
  DateTime,
  EUInformation,
  ExtensionObject,
  LocalizedText,
  NodeId,
  Range,
  StatusCodes,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createFixture, readNow, write } from './harness.ts';

const of = (variant: Variant): DataValue => new DataValue(variant);
const double = (value: number): DataValue => of(Variant.double(value));

describe('writing values', () => {
  it('stores what a client writes and tells observers', async () => {
    const { space, runtime } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1, writable: true });
    const seen: unknown[] = [];
    node.observe((value) => seen.push(value.value?.value));
    runtime.clock.advance(5);
    expect(await write(space, node.nodeId, double(2))).toBe(StatusCodes.Good);
    expect(readNow(space, node.nodeId)).toMatchObject({ value: { value: 2 }, statusCode: 0 });
    expect(readNow(space, node.nodeId).sourceTimestamp?.unixMs).toBe(Date.UTC(2026, 0, 1) + 5);
    expect(seen).toEqual([2]);
  });

  it('refuses read-only variables, other attributes and unknown nodes', async () => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    const sourced = space.addVariable({ browseName: 'S', dataType: 'Double', read: () => 1, writable: true });
    expect(await write(space, node.nodeId, double(2))).toBe(StatusCodes.BadNotWritable);
    expect(await write(space, sourced.nodeId, double(2))).toBe(StatusCodes.BadNotWritable);
    expect(await write(space, node.nodeId, double(2), { attributeId: AttributeIds.DisplayName })).toBe(StatusCodes.BadNotWritable);
    expect(await write(space, NodeId.numeric(0, 85), double(2))).toBe(StatusCodes.BadAttributeIdInvalid);
    expect(await write(space, NodeId.numeric(0, 9_999_999), double(2))).toBe(StatusCodes.BadNodeIdUnknown);
  });

  const accepts = (dataType: string, value: unknown, options: object = {}): ((variant: Variant) => number) => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType, value, writable: true, ...options });
    return (variant) => write(space, node.nodeId, of(variant)) as number;
  };

  it('takes a value of the DataType or a subtype and nothing else', () => {
    const toDouble = accepts('Double', 1);
    expect(toDouble(Variant.scalar(BuiltInType.Float, 1))).toBe(StatusCodes.BadTypeMismatch);
    expect(toDouble(Variant.NULL)).toBe(StatusCodes.BadTypeMismatch);
    expect(toDouble(Variant.array(BuiltInType.Double, [1]))).toBe(StatusCodes.BadTypeMismatch);
    expect(accepts('Duration', 1)(Variant.double(5))).toBe(StatusCodes.Good);
    expect(accepts('UtcTime', DateTime.MIN)(Variant.scalar(BuiltInType.DateTime, DateTime.MAX))).toBe(StatusCodes.Good);
  });

  it('takes every type below an abstract one', () => {
    const toNumber = accepts('Number', 1);
    expect(toNumber(Variant.int32(3))).toBe(StatusCodes.Good);
    expect(toNumber(Variant.scalar(BuiltInType.UInt64, 3n))).toBe(StatusCodes.Good);
    expect(toNumber(Variant.string('3'))).toBe(StatusCodes.BadTypeMismatch);
    const toInteger = accepts('Integer', 1);
    expect(toInteger(Variant.scalar(BuiltInType.SByte, -1))).toBe(StatusCodes.Good);
    expect(toInteger(Variant.scalar(BuiltInType.Byte, 1))).toBe(StatusCodes.BadTypeMismatch);
    expect(toInteger(Variant.double(1))).toBe(StatusCodes.BadTypeMismatch);
    expect(accepts('UInteger', 1)(Variant.uint32(1))).toBe(StatusCodes.Good);
    const toAnything = accepts('BaseDataType', 1, { valueRank: -2 });
    expect(toAnything(Variant.array(BuiltInType.String, ['a']))).toBe(StatusCodes.Good);
    expect(toAnything(Variant.NULL)).toBe(StatusCodes.Good);
  });

  it('takes a DataValue without a value as one with a null', async () => {
    const { space } = createFixture();
    const anything = space.addVariable({ browseName: 'A', dataType: 'BaseDataType', value: 1, writable: true });
    const number = space.addVariable({ browseName: 'N', dataType: 'Double', value: 1, writable: true });
    expect(await write(space, anything.nodeId, new DataValue(undefined))).toBe(StatusCodes.Good);
    expect(readNow(space, anything.nodeId).value?.type).toBe(BuiltInType.Null);
    expect(await write(space, number.nodeId, new DataValue(undefined))).toBe(StatusCodes.BadTypeMismatch);
  });

  it('treats a ByteString and an array of Bytes as the same', async () => {
    const { space } = createFixture();
    const bytes = space.addVariable({ browseName: 'B', dataType: 'Byte', value: [1, 2], writable: true });
    const text = space.addVariable({ browseName: 'T', dataType: 'ByteString', value: Buffer.from([9]), writable: true });
    expect(await write(space, bytes.nodeId, of(Variant.scalar(BuiltInType.ByteString, Buffer.from([7, 8]))))).toBe(StatusCodes.Good);
    expect(readNow(space, bytes.nodeId).value).toMatchObject({ type: BuiltInType.Byte, isArray: true });
    expect(await write(space, text.nodeId, of(Variant.array(BuiltInType.Byte, [5, 6])))).toBe(StatusCodes.Good);
    expect(readNow(space, text.nodeId).value).toMatchObject({ type: BuiltInType.ByteString, isArray: false });
  });

  it('takes enumerations as Int32 within the enumeration', () => {
    const toState = accepts('ServerState', 0);
    expect(toState(Variant.int32(7))).toBe(StatusCodes.Good);
    expect(toState(Variant.int32(8))).toBe(StatusCodes.BadOutOfRange);
    expect(toState(Variant.uint32(1))).toBe(StatusCodes.BadTypeMismatch);
  });

  it('takes structures of the DataType or below it', () => {
    const range = Variant.scalar(BuiltInType.ExtensionObject, ExtensionObject.of(Range, { low: 0, high: 1 }));
    const unit = Variant.scalar(BuiltInType.ExtensionObject, ExtensionObject.of(EUInformation, EUInformation.create()));
    const toRange = accepts('Range', { low: 0, high: 2 });
    expect(toRange(range)).toBe(StatusCodes.Good);
    expect(toRange(unit)).toBe(StatusCodes.BadTypeMismatch);
    expect(toRange(Variant.scalar(BuiltInType.ExtensionObject, ExtensionObject.NULL))).toBe(StatusCodes.BadTypeMismatch);
    expect(accepts('Structure', undefined)(unit)).toBe(StatusCodes.Good);
  });

  it('checks ValueRank and ArrayDimensions', () => {
    const toArray = accepts('Int32', [1], { arrayDimensions: [3] });
    expect(toArray(Variant.array(BuiltInType.Int32, [1, 2, 3]))).toBe(StatusCodes.Good);
    expect(toArray(Variant.array(BuiltInType.Int32, [1, 2, 3, 4]))).toBe(StatusCodes.BadTypeMismatch);
    expect(toArray(Variant.int32(1))).toBe(StatusCodes.BadTypeMismatch);
    expect(toArray(Variant.matrix(BuiltInType.Int32, [1, 2], [1, 2]))).toBe(StatusCodes.BadTypeMismatch);
    const toOneOrMore = accepts('Int32', [1], { valueRank: 0 });
    expect(toOneOrMore(Variant.matrix(BuiltInType.Int32, [1, 2], [1, 2]))).toBe(StatusCodes.Good);
    expect(toOneOrMore(Variant.int32(1))).toBe(StatusCodes.BadTypeMismatch);
    const toScalarOrArray = accepts('Int32', [1], { valueRank: -3 });
    expect(toScalarOrArray(Variant.int32(1))).toBe(StatusCodes.Good);
    expect(toScalarOrArray(Variant.matrix(BuiltInType.Int32, [1, 2], [1, 2]))).toBe(StatusCodes.BadTypeMismatch);
  });

  it('writes into arrays, matrices and strings by index range', async () => {
    const { space } = createFixture();
    const array = space.addVariable({ browseName: 'A', dataType: 'Int32', value: [0, 1, 2, 3], writable: true });
    const matrix = space.addVariable({
      browseName: 'M',
      dataType: 'Int32',
      value: [
        [1, 2],
        [3, 4],
      ],
      writable: true,
    });
    const text = space.addVariable({ browseName: 'S', dataType: 'String', value: 'abcd', writable: true });
    const number = space.addVariable({ browseName: 'N', dataType: 'Int32', value: 1, writable: true });
    const put = (node: VariableNode, indexRange: string, variant: Variant): unknown =>
      write(space, node.nodeId, of(variant), { indexRange });
    expect(await put(array, '1:2', Variant.array(BuiltInType.Int32, [11, 12]))).toBe(StatusCodes.Good);
    expect(readNow(space, array.nodeId).value?.value).toEqual([0, 11, 12, 3]);
    expect(await put(array, '1:2', Variant.array(BuiltInType.Int32, [11]))).toBe(StatusCodes.BadIndexRangeDataMismatch);
    expect(await put(array, '1', Variant.scalar(BuiltInType.Int32, 11))).toBe(StatusCodes.BadIndexRangeDataMismatch);
    expect(await put(array, '0,1', Variant.array(BuiltInType.Int32, [11]))).toBe(StatusCodes.BadIndexRangeNoData);
    expect(await put(array, '3:4', Variant.array(BuiltInType.Int32, [1, 2]))).toBe(StatusCodes.BadIndexRangeNoData);
    expect(await put(array, '1', Variant.array(BuiltInType.Double, [1]))).toBe(StatusCodes.BadTypeMismatch);
    expect(await put(array, 'x', Variant.array(BuiltInType.Int32, [1]))).toBe(StatusCodes.BadIndexRangeInvalid);
    expect(await put(matrix, '0:1,1', Variant.matrix(BuiltInType.Int32, [20, 40], [2, 1]))).toBe(StatusCodes.Good);
    expect(readNow(space, matrix.nodeId).value?.value).toEqual([1, 20, 3, 40]);
    expect(await put(text, '1:2', Variant.string('XY'))).toBe(StatusCodes.Good);
    expect(readNow(space, text.nodeId).value?.value).toBe('aXYd');
    expect(await put(text, '1:2', Variant.string('X'))).toBe(StatusCodes.BadIndexRangeDataMismatch);
    expect(await put(number, '0', Variant.scalar(BuiltInType.Int32, 1))).toBe(StatusCodes.BadIndexRangeNoData);
  });

  it('takes status and timestamps only where the AccessLevel allows it', async () => {
    const { space } = createFixture();
    const plain = space.addVariable({ browseName: 'P', dataType: 'Double', value: 1, writable: true });
    const full = space.addVariable({ browseName: 'F', dataType: 'Double', value: 1, accessLevel: 0x63 });
    const sourceTimestamp = DateTime.fromUnixMs(1_000_000_000);
    const withTime = new DataValue(Variant.double(2), StatusCodes.Good, sourceTimestamp);
    const withStatus = new DataValue(Variant.double(2), StatusCodes.BadSensorFailure);
    expect(await write(space, plain.nodeId, withTime)).toBe(StatusCodes.BadWriteNotSupported);
    expect(await write(space, plain.nodeId, withStatus)).toBe(StatusCodes.BadWriteNotSupported);
    expect(await write(space, full.nodeId, new DataValue(Variant.double(2), StatusCodes.BadSensorFailure, sourceTimestamp))).toBe(
      StatusCodes.Good,
    );
    expect(readNow(space, full.nodeId)).toMatchObject({ statusCode: StatusCodes.BadSensorFailure, sourceTimestamp });
  });

  it('gives write callbacks plain values and turns what they throw into StatusCodes', async () => {
    const { space, runtime } = createFixture();
    const seen: unknown[] = [];
    const node = space.addVariable({
      browseName: 'V',
      dataType: 'Double',
      value: 0,
      write: (value) => {
        seen.push(value);
        if (value === 1) throw new UaStatusError(StatusCodes.BadOutOfRange, 'no ones');
        if (value === 2) throw new Error('secret path /etc/passwd');
        if (value === 3) return StatusCodes.BadDeviceFailure;
        return value === 4 ? Promise.reject(new UaStatusError(StatusCodes.BadTimeout, 'late')) : Promise.resolve();
      },
    });
    const structured = space.addVariable({
      browseName: 'R',
      dataType: 'Range',
      value: { low: 0, high: 1 },
      write: (value) => void seen.push(value),
    });
    const results = [];
    for (const value of [1, 2, 3, 4, 5]) results.push(await write(space, node.nodeId, double(value)));
    expect(results).toEqual([
      StatusCodes.BadOutOfRange,
      StatusCodes.BadInternalError,
      StatusCodes.BadDeviceFailure,
      StatusCodes.BadTimeout,
      StatusCodes.Good,
    ]);
    expect(runtime.log.of('address-space.write-callback-failed')).toHaveLength(1);
    expect(readNow(space, node.nodeId).value?.value).toBe(5);
    const bytes = new ExtensionObject(NodeId.numeric(0, 886), ExtensionObject.of(Range, { low: 3, high: 4 }).toBinaryBody());
    expect(await write(space, structured.nodeId, of(Variant.scalar(BuiltInType.ExtensionObject, bytes)))).toBe(StatusCodes.Good);
    expect(seen.at(-1)).toEqual({ low: 3, high: 4 });
  });

  it('waits for a write callback until its deadline, tells it so and takes no late answer', async () => {
    const { space, runtime } = createFixture();
    let settle = (): void => undefined;
    let signal: AbortSignal | undefined;
    const node = space.addVariable({
      browseName: 'V',
      dataType: 'Double',
      value: 0,
      write: (_value, context) => {
        signal = context.signal;
        return new Promise((resolve) => {
          settle = resolve;
        });
      },
    });
    const late = write(space, node.nodeId, double(1));
    runtime.clock.advance(10_000);
    expect(await late).toBe(StatusCodes.BadTimeout);
    expect(signal?.aborted).toBe(true);
    expect(runtime.log.of('address-space.write-callback-timeout')).toHaveLength(1);
    settle();
    await Promise.resolve();
    expect(readNow(space, node.nodeId).value?.value).toBe(0);

    const inTime = write(space, node.nodeId, double(2));
    settle();
    expect(await inTime).toBe(StatusCodes.Good);
    expect(signal?.aborted).toBe(false);
    expect(readNow(space, node.nodeId).value?.value).toBe(2);
    expect(runtime.clock.pendingTimers).toBe(0);
  });

  it('waits for promises of other libraries too', async () => {
    const { space } = createFixture();
    // biome-ignore lint/suspicious/noThenProperty: that is what such a promise is
    const foreign = { then: (resolve: (status: number) => void) => resolve(StatusCodes.BadDeviceFailure) };
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 0, write: () => foreign as never });
    expect(await write(space, node.nodeId, double(1))).toBe(StatusCodes.BadDeviceFailure);
  });

  it('keeps discrete items within their states', async () => {
    const { space } = createFixture();
    const mode = space.addMultiStateDiscrete(space.objectsFolder, {
      browseName: 'Mode',
      enumStrings: ['Off', 'On'],
      value: 0,
      writable: true,
    });
    const step = space.addMultiStateValueDiscrete(space.objectsFolder, {
      browseName: 'Step',
      enumValues: [
        { name: 'Ten', value: 10 },
        { name: 'Twenty', value: 20 },
      ],
      value: 10,
      writable: true,
    });
    expect(await write(space, mode.nodeId, of(Variant.uint32(1)))).toBe(StatusCodes.Good);
    expect(await write(space, mode.nodeId, of(Variant.uint32(2)))).toBe(StatusCodes.BadOutOfRange);
    expect(await write(space, step.nodeId, of(Variant.int32(20)))).toBe(StatusCodes.Good);
    expect(await write(space, step.nodeId, of(Variant.int32(15)))).toBe(StatusCodes.BadOutOfRange);
    expect(String(readNow(space, step.child('ValueAsText')?.nodeId ?? NodeId.NULL).value?.value)).toBe('Twenty');
  });

  it('writes other attributes where the WriteMask names them', async () => {
    const { space } = createFixture();
    const node = space.addVariable({
      browseName: 'V',
      dataType: 'Double',
      value: 1,
      writeMask: AttributeWriteMask.DisplayName | AttributeWriteMask.Historizing,
    });
    const name = of(Variant.scalar(BuiltInType.LocalizedText, new LocalizedText('Neu', 'de')));
    expect(await write(space, node.nodeId, name, { attributeId: AttributeIds.DisplayName })).toBe(StatusCodes.Good);
    expect(node.displayName.text).toBe('Neu');
    expect(node.browseName.name).toBe('V');
    expect(await write(space, node.nodeId, name, { attributeId: AttributeIds.Description })).toBe(StatusCodes.BadNotWritable);
    expect(await write(space, node.nodeId, name, { attributeId: AttributeIds.Historizing })).toBe(StatusCodes.BadTypeMismatch);
    expect(await write(space, node.nodeId, of(Variant.boolean(true)), { attributeId: AttributeIds.Historizing })).toBe(StatusCodes.Good);
    expect(await write(space, node.nodeId, name, { attributeId: AttributeIds.Executable })).toBe(StatusCodes.BadAttributeIdInvalid);
  });
});
