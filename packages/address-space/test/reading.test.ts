import {
  AttributeIds,
  BuiltInType,
  DateTime,
  LocalizedText,
  NodeClass,
  NodeId,
  QualifiedName,
  Range,
  StatusCodes,
  TimestampsToReturn,
  VariableIds,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createFixture, readNow } from './harness.ts';

const name = (text: string): QualifiedName => new QualifiedName(0, text);

describe('reading attributes', () => {
  it('tells unknown nodes, null ids and attributes of other classes apart', () => {
    const { space } = createFixture();
    expect(readNow(space, NodeId.numeric(0, 9_999_999)).statusCode).toBe(StatusCodes.BadNodeIdUnknown);
    expect(readNow(space, NodeId.string(77, 'x')).statusCode).toBe(StatusCodes.BadNodeIdUnknown);
    expect(readNow(space, NodeId.NULL).statusCode).toBe(StatusCodes.BadNodeIdInvalid);
    for (const attributeId of [AttributeIds.Value, AttributeIds.Executable, AttributeIds.IsAbstract, 0, 28, 4_294_967_295]) {
      expect(readNow(space, NodeId.numeric(0, 85), { attributeId }).statusCode).toBe(StatusCodes.BadAttributeIdInvalid);
    }
  });

  it('answers each of the 27 attributes for exactly the classes that have it', () => {
    const { space } = createFixture();
    const view = space.addView({ browseName: 'View' });
    const method = space.addMethod({ browseName: 'Method', call: () => [] });
    const variable = space.addVariable({ browseName: 'Variable', dataType: 'Double', value: 1 });
    const always = [1, 2, 3, 4, 5, 6, 7, 26];
    const expected: [NodeId, NodeClass, number[]][] = [
      [NodeId.numeric(0, 85), NodeClass.Object, [12]],
      [view.nodeId, NodeClass.View, [11, 12]],
      [method.nodeId, NodeClass.Method, [21, 22]],
      [variable.nodeId, NodeClass.Variable, [13, 14, 15, 16, 17, 18, 19, 20, 27]],
      [NodeId.numeric(0, 58), NodeClass.ObjectType, [8]],
      [NodeId.numeric(0, 62), NodeClass.VariableType, [8, 14, 15, 16]],
      [NodeId.numeric(0, 35), NodeClass.ReferenceType, [8, 9, 10]],
      [NodeId.numeric(0, 884), NodeClass.DataType, [8, 23]],
    ];
    for (const [nodeId, nodeClass, own] of expected) {
      const good: number[] = [];
      for (let attributeId = 1; attributeId <= 27; attributeId++) {
        const { statusCode } = readNow(space, nodeId, { attributeId });
        if (statusCode === StatusCodes.Good) good.push(attributeId);
        else expect(statusCode).toBe(StatusCodes.BadAttributeIdInvalid);
      }
      expect([nodeClass, good]).toEqual([nodeClass, [...always, ...own].sort((a, b) => a - b)]);
      expect(readNow(space, nodeId, { attributeId: AttributeIds.NodeClass }).value?.value).toBe(nodeClass);
    }
  });

  it('gives attributes their values and built-in types', () => {
    const { space } = createFixture();
    const node = space.addVariable({
      browseName: 'Speed',
      nodeId: 's=Speed',
      dataType: 'Float',
      value: 1.5,
      displayName: new LocalizedText('Drehzahl', 'de'),
      description: 'of the pump',
      accessLevel: 0x2403,
      arrayDimensions: [],
      minimumSamplingInterval: 20,
    });
    const attribute = (attributeId: number): unknown => readNow(space, node.nodeId, { attributeId }).value?.value;
    expect(String(attribute(AttributeIds.NodeId))).toBe('ns=1;s=Speed');
    expect(String(attribute(AttributeIds.BrowseName))).toBe('1:Speed');
    expect(attribute(AttributeIds.DisplayName)).toEqual(new LocalizedText('Drehzahl', 'de'));
    expect(String(attribute(AttributeIds.Description))).toBe('of the pump');
    expect(String(attribute(AttributeIds.DataType))).toBe('i=10');
    expect(attribute(AttributeIds.AccessLevel)).toBe(3);
    expect(attribute(AttributeIds.AccessLevelEx)).toBe(0x2403);
    expect(attribute(AttributeIds.MinimumSamplingInterval)).toBe(20);
    expect(readNow(space, node.nodeId, { attributeId: AttributeIds.AccessLevel }).value?.type).toBe(BuiltInType.Byte);
  });

  it('returns the timestamps that were asked for, and a SourceTimestamp only for values', () => {
    const { space, runtime } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Int32', value: 5 });
    runtime.clock.advance(10_000);
    const both = readNow(space, node.nodeId);
    expect(both.sourceTimestamp?.unixMs).toBe(Date.UTC(2026, 0, 1));
    expect(both.serverTimestamp?.unixMs).toBe(Date.UTC(2026, 0, 1) + 10_000);
    const shape = (timestamps: TimestampsToReturn, attributeId: number): boolean[] => {
      const value = readNow(space, node.nodeId, { timestamps, attributeId });
      return [value.sourceTimestamp !== undefined, value.serverTimestamp !== undefined];
    };
    expect(shape(TimestampsToReturn.Source, AttributeIds.Value)).toEqual([true, false]);
    expect(shape(TimestampsToReturn.Server, AttributeIds.Value)).toEqual([false, true]);
    expect(shape(TimestampsToReturn.Neither, AttributeIds.Value)).toEqual([false, false]);
    expect(shape(TimestampsToReturn.Both, AttributeIds.DisplayName)).toEqual([false, true]);
    expect(shape(TimestampsToReturn.Source, AttributeIds.DisplayName)).toEqual([false, false]);
  });

  it('hands out the same DataValue for repeated reads of a stored value', () => {
    const { space, runtime } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 5 });
    expect(readNow(space, node.nodeId)).toBe(readNow(space, node.nodeId));
    runtime.clock.advance(2000);
    const later = readNow(space, node.nodeId);
    expect(later.serverTimestamp?.unixMs).toBe(Date.UTC(2026, 0, 1) + 2000);
    node.setValue(6);
    expect(readNow(space, node.nodeId).value?.value).toBe(6);
  });

  it('answers a variable that has no value yet with BadWaitingForInitialData', () => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double' });
    expect(readNow(space, node.nodeId).statusCode).toBe(StatusCodes.BadWaitingForInitialData);
  });

  it('offers Default Binary for structures and refuses what it cannot encode', () => {
    const { space } = createFixture();
    const range = space.addVariable({ browseName: 'R', dataType: 'Range', value: { low: 0, high: 1 } });
    const plain = space.addVariable({ browseName: 'P', dataType: 'Double', value: 1 });
    const status = (node: typeof range, encoding: string, attributeId: number = AttributeIds.Value): number =>
      readNow(space, node.nodeId, { dataEncoding: name(encoding), attributeId }).statusCode;
    expect(status(range, 'Default Binary')).toBe(StatusCodes.Good);
    expect(status(range, 'Default XML')).toBe(StatusCodes.BadDataEncodingUnsupported);
    expect(status(range, 'Default JSON')).toBe(StatusCodes.BadDataEncodingUnsupported);
    expect(status(range, 'Mine')).toBe(StatusCodes.BadDataEncodingInvalid);
    expect(status(plain, 'Default Binary')).toBe(StatusCodes.BadDataEncodingInvalid);
    expect(status(plain, 'Default Binary', AttributeIds.DisplayName)).toBe(StatusCodes.BadDataEncodingInvalid);
    expect(Range.name).toBe('Range');
  });

  it('reads parts of arrays, matrices, strings and byte strings', () => {
    const { space } = createFixture();
    const array = space.addVariable({ browseName: 'A', dataType: 'Int32', value: [0, 1, 2, 3, 4] });
    const matrix = space.addVariable({
      browseName: 'M',
      dataType: 'Int32',
      value: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    });
    const text = space.addVariable({ browseName: 'S', dataType: 'String', value: 'abcdef' });
    const bytes = space.addVariable({ browseName: 'B', dataType: 'ByteString', value: Buffer.from([1, 2, 3, 4]) });
    const texts = space.addVariable({ browseName: 'T', dataType: 'String', value: ['abc', 'defg'] });
    const part = (node: typeof array, indexRange: string): unknown => {
      const { value, statusCode } = readNow(space, node.nodeId, { indexRange });
      return statusCode === StatusCodes.Good ? Array.from(value?.value as ArrayLike<unknown>) : statusCode;
    };
    expect(part(array, '1:3')).toEqual([1, 2, 3]);
    expect(part(array, '4')).toEqual([4]);
    expect(part(array, '3:99')).toEqual([3, 4]);
    expect(part(array, '5')).toBe(StatusCodes.BadIndexRangeNoData);
    expect(part(array, '1,1')).toBe(StatusCodes.BadIndexRangeNoData);
    expect(part(matrix, '1,0:1')).toEqual([4, 5]);
    expect(part(matrix, '0:1,2')).toEqual([3, 6]);
    expect(part(matrix, '1')).toBe(StatusCodes.BadIndexRangeNoData);
    expect(readNow(space, matrix.nodeId, { indexRange: '0:1,1:2' }).value?.dimensions).toEqual([2, 2]);
    expect(part(text, '2:3')).toEqual(['c', 'd']);
    expect(part(bytes, '1:2')).toEqual([2, 3]);
    expect(part(texts, '0:1,1:2')).toEqual(['bc', 'ef']);
    for (const malformed of ['a', '3:1', '2:2', '-1', '1:', ':', '1:2:3'])
      expect(part(array, malformed)).toBe(StatusCodes.BadIndexRangeInvalid);
  });

  it('does not let anyone read a variable without the CurrentRead bit', () => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'W', dataType: 'Double', value: 1, accessLevel: 2 });
    expect(readNow(space, node.nodeId).statusCode).toBe(StatusCodes.BadNotReadable);
  });

  it('keeps the time that a DataValue brings', () => {
    const { space } = createFixture();
    const node = space.addVariable({ browseName: 'V', dataType: 'Double', value: 1 });
    const sourceTimestamp = DateTime.fromUnixMs(1_000_000);
    node.setValue(2, { sourceTimestamp, statusCode: StatusCodes.UncertainLastUsableValue });
    expect(readNow(space, node.nodeId)).toMatchObject({ sourceTimestamp, statusCode: StatusCodes.UncertainLastUsableValue });
    expect(VariableIds.Server_NamespaceArray).toBe(2255);
  });
});
