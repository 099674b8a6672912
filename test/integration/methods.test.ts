import { referenceNodeIds } from '@bulkhead/reference-server';
import {
  AttributeIds,
  type CallMethodResult,
  type ClientSession,
  DataType,
  ExtensionObject,
  type Variant,
  VariantArrayType,
  type VariantOptions,
} from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';
import { bytesOf, goodValue } from '../support/variant-bytes.ts';

let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;
const called = new Set<string>();

beforeAll(async () => {
  server = await startReferenceTestServer();
  clients = await ForeignClients.create();
  session = await clients.session(server.endpointUrl);
  await session.extractNamespaceDataType();
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

function call(name: string, ...inputArguments: VariantOptions[]): Promise<CallMethodResult> {
  called.add(`ns=2;s=Method.${name}`);
  return session.call({ objectId: 'ns=2;s=Method', methodId: `ns=2;s=Method.${name}`, inputArguments });
}

async function read(nodeId: string): Promise<Variant> {
  return goodValue(await session.read({ nodeId, attributeId: AttributeIds.Value }), nodeId);
}

const double = (value: number): VariantOptions => ({ dataType: DataType.Double, value });
const text = (value: string): VariantOptions => ({ dataType: DataType.String, value });
const doubles = (value: number[]): VariantOptions => ({ dataType: DataType.Double, arrayType: VariantArrayType.Array, value });
/** An Int64 as the library has it: high and low half. */
const int64 = (value: bigint): VariantOptions => ({
  dataType: DataType.Int64,
  arrayType: VariantArrayType.Scalar,
  value: [Number(BigInt.asUintN(32, value >> 32n)), Number(BigInt.asUintN(32, value))],
});

function outputs({ statusCode, outputArguments }: CallMethodResult): unknown {
  if (!statusCode.isGood()) return statusCode.name;
  return (outputArguments ?? []).map(({ value }) =>
    ArrayBuffer.isView(value) ? Array.from(value as unknown as ArrayLike<number>) : value,
  );
}

describe('a method called by a foreign client', () => {
  it('takes no, some and many arguments, and gives what it computes', async () => {
    expect(outputs(await call('NoArguments'))).toEqual([]);
    expect(outputs(await call('Add', double(1.5), double(2.25)))).toEqual([3.75]);
    expect(outputs(await call('AddInt64', int64(2n ** 40n), int64(-1n)))).toEqual([int64(2n ** 40n - 1n).value]);
    const texts: VariantOptions = { dataType: DataType.String, arrayType: VariantArrayType.Array, value: ['a', null, 'ü'] };
    expect(outputs(await call('Concatenate', texts, text('-')))).toEqual(['a--ü']);
    expect(outputs(await call('SumArray', doubles([1, 2, 3.5])))).toEqual([6.5]);
    const localized: VariantOptions = { dataType: DataType.LocalizedText, value: { text: 'high' } };
    expect(outputs(await call('InputsOnly', { dataType: DataType.Byte, value: 7 }, localized))).toEqual([]);
    const [time, primes, name] = outputs(await call('OutputsOnly')) as unknown[];
    expect(Math.abs((time as Date).getTime() - Date.now())).toBeLessThan(5000);
    expect([primes, name]).toEqual([[2, 3, 5, 7, 11], 'Bulkhead']);
  });

  it('takes a matrix and gives another one', async () => {
    const matrix: VariantOptions = {
      dataType: DataType.Double,
      arrayType: VariantArrayType.Matrix,
      dimensions: [2, 3],
      value: [1, 2, 3, 4, 5, 6],
    };
    const { outputArguments } = await call('Transpose', matrix);
    expect(outputArguments?.[0]?.dimensions).toEqual([3, 2]);
    expect(Array.from(outputArguments?.[0]?.value)).toEqual([1, 4, 2, 5, 3, 6]);
  });

  it('takes any value where BaseDataType is declared', async () => {
    for (const nodeId of [...referenceNodeIds.scalarStatic]) {
      const value = await read(nodeId);
      const { outputArguments } = await call('Echo', value);
      expect(bytesOf(outputArguments?.[0] as Variant), nodeId).toBe(bytesOf(value));
    }
  });

  it.each([
    ['EchoScalars', referenceNodeIds.scalarStatic],
    ['EchoArrays', referenceNodeIds.arrayStatic],
  ])('%s takes an argument of every type', async (name, nodeIds) => {
    const values = await Promise.all(nodeIds.map(read));
    const { statusCode, outputArguments } = await call(name, ...values);
    expect(statusCode.name).toBe('Good');
    expect(outputArguments?.map(bytesOf)).toEqual(values.map(bytesOf));
  });

  it('takes and gives structures of the server’s own types', async () => {
    const [vessel, position] = await Promise.all([read('ns=2;s=Structure.Vessel'), read('ns=2;s=Structure.Position')]);
    position.value.x = 1.25;
    const { statusCode, outputArguments } = await call('MoveVessel', vessel, position, { dataType: DataType.Int32, value: 20 });
    expect(statusCode.name).toBe('Good');
    const moved = outputArguments?.[0]?.value;
    expect(moved).toBeInstanceOf(ExtensionObject);
    expect([moved.name, moved.position.x, moved.mode]).toEqual(['Bulkhead', 1.25, 20]);
  });

  it('may take two seconds, while others are answered', async () => {
    const slow = call('Slow', text('at last'));
    const before = performance.now();
    expect(outputs(await call('Add', double(1), double(2)))).toEqual([3]);
    expect(performance.now() - before).toBeLessThan(1000);
    expect(outputs(await slow)).toEqual(['at last']);
  });

  it('gives a status for what goes wrong in it, and nothing about why', async () => {
    expect(outputs(await call('Throws'))).toBe('BadInternalError');
    expect(outputs(await call('ThrowsStatus'))).toBe('BadInvalidState');
    expect(outputs(await call('WrongOutputs'))).toBe('BadInternalError');
    expect(outputs(await call('AddInt64', int64(2n ** 63n - 1n), int64(1n)))).toBe('BadOutOfRange');
    expect(outputs(await call('NotExecutable'))).toBe('BadNotExecutable');
    expect(outputs(await call('NotImplemented'))).toBe('BadNotImplemented');
  });

  it('was each one of the reference server’s', () => {
    expect(referenceNodeIds.method.filter((nodeId) => !called.has(nodeId))).toEqual([]);
  });
});

describe('a wrong call', () => {
  it('is told how many arguments are missing or too many', async () => {
    expect(outputs(await call('Add', double(1)))).toBe('BadArgumentsMissing');
    expect(outputs(await call('Add', double(1), double(2), double(3)))).toBe('BadTooManyArguments');
    expect(outputs(await call('NoArguments', double(1)))).toBe('BadTooManyArguments');
  });

  it('is told which argument is wrong', async () => {
    const codes = async (result: Promise<CallMethodResult>): Promise<unknown[]> => {
      const { statusCode, inputArgumentResults } = await result;
      return [statusCode.name, ...(inputArgumentResults ?? []).map(({ name }) => name)];
    };
    expect(await codes(call('Add', double(1), text('2')))).toEqual(['BadInvalidArgument', 'Good', 'BadTypeMismatch']);
    expect(await codes(call('Add', doubles([1]), double(2)))).toEqual(['BadInvalidArgument', 'BadTypeMismatch', 'Good']);
    expect(await codes(call('SumArray', double(1)))).toEqual(['BadInvalidArgument', 'BadTypeMismatch']);
  });

  it('is told what is unknown', async () => {
    const codeOf = async (objectId: string, methodId: string): Promise<string> =>
      (await session.call({ objectId, methodId, inputArguments: [] })).statusCode.name;
    expect(await codeOf('ns=2;s=Nothing', 'ns=2;s=Method.Add')).toBe('BadNodeIdUnknown');
    expect(await codeOf('ns=2;s=Method', 'ns=2;s=Method.Nothing')).toBe('BadMethodInvalid');
    expect(await codeOf('ns=2;s=Access', 'ns=2;s=Method.NoArguments')).toBe('BadMethodInvalid');
    expect(await codeOf('ns=2;s=Method', 'ns=2;s=Scalar.Static.Double')).toBe('BadMethodInvalid');
  });

  it('doesn’t keep the others of the same request from being called', async () => {
    const results = await session.call([
      { objectId: 'ns=2;s=Method', methodId: 'ns=2;s=Method.Add', inputArguments: [double(1), double(2)] },
      { objectId: 'ns=2;s=Method', methodId: 'ns=2;s=Method.Throws', inputArguments: [] },
      { objectId: 'ns=2;s=Nothing', methodId: 'ns=2;s=Method.Add', inputArguments: [] },
      { objectId: 'ns=2;s=Method', methodId: 'ns=2;s=Method.Add', inputArguments: [double(3), double(4)] },
    ]);
    expect(results.map(outputs)).toEqual([[3], 'BadInternalError', 'BadNodeIdUnknown', [7]]);
  });
});

describe('a foreign client that asks for the arguments of methods', () => {
  it('learns their names and types', async () => {
    const { inputArguments, outputArguments } = await session.getArgumentDefinition('ns=2;s=Method.Concatenate');
    expect(inputArguments.map(({ name, valueRank }) => [name, valueRank])).toEqual([
      ['texts', 1],
      ['separator', -1],
    ]);
    expect(outputArguments.map(({ name, dataType }) => [name, dataType.toString()])).toEqual([['text', 'ns=0;i=12']]);
  });
});
