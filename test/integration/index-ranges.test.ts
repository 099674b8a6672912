import { AttributeIds, type ClientSession, DataType, NumericRange, Variant, VariantArrayType } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

const { Value } = AttributeIds;
const INT32_ARRAY = 'ns=2;s=Array.Static.Int32';
const INT32_MATRIX = 'ns=2;s=Matrix.Static.Int32';
const ELEMENTS = [-2_147_483_648, -1, 0, 1, 65_536, 2_147_483_647];
const TEXT = 'Grüße, 世界 🚢';
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;

beforeAll(async () => {
  server = await startReferenceTestServer();
  clients = await ForeignClients.create();
  session = await clients.session(server.endpointUrl);
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

/** @param indexRange empty for the whole value. */
async function read(nodeId: string, indexRange: string): Promise<[status: string, value: unknown]> {
  const range = indexRange === '' ? {} : { indexRange: new NumericRange(indexRange) };
  const { statusCode, value } = await session.read({ nodeId, attributeId: Value, ...range });
  return [statusCode.name, plain(value?.value)];
}

async function write(nodeId: string, indexRange: string, value: Variant): Promise<string> {
  return (await session.write({ nodeId, attributeId: Value, indexRange: new NumericRange(indexRange), value: { value } })).name;
}

function plain(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex');
  return ArrayBuffer.isView(value) || Array.isArray(value) ? Array.from(value as ArrayLike<unknown>) : value;
}

function int32s(...value: number[]): Variant {
  return new Variant({ dataType: DataType.Int32, arrayType: VariantArrayType.Array, value });
}

describe('an index range read by a foreign client', () => {
  it.each([
    ['an element', INT32_ARRAY, '1', [-1]],
    ['elements', INT32_ARRAY, '1:3', [-1, 0, 1]],
    ['what there is of a longer range', INT32_ARRAY, '4:99', [65_536, 2_147_483_647]],
    ['a part of a matrix', INT32_MATRIX, '0:1,1:2', [-1, 0, 65_536, 2_147_483_647]],
    ['an element of a matrix', INT32_MATRIX, '1,0', [1]],
    ['a part of a text', 'ns=2;s=Scalar.Static.String', '0:4', TEXT.slice(0, 5)],
  ])('gives %s', async (_, nodeId, range, expected) => {
    expect(await read(nodeId, range)).toEqual(['Good', expected]);
  });

  it('gives a part of a ByteString', async () => {
    const [, whole] = await read('ns=2;s=Scalar.Static.ByteString', '');
    expect(await read('ns=2;s=Scalar.Static.ByteString', '0:1')).toEqual(['Good', String(whole).slice(0, 4)]);
  });

  it.each([
    ['behind the end', INT32_ARRAY, '6', 'BadIndexRangeNoData'],
    ['with too many dimensions', INT32_ARRAY, '0,0', 'BadIndexRangeNoData'],
    ['with too few dimensions', INT32_MATRIX, '0', 'BadIndexRangeNoData'],
    ['of a number', 'ns=2;s=Scalar.Static.Int32', '0:1', 'BadIndexRangeNoData'],
  ])('is refused %s', async (_, nodeId, range, code) => {
    expect((await read(nodeId, range))[0]).toBe(code);
  });
});

describe('an index range written by a foreign client', () => {
  it('changes these elements of an array and no others', async () => {
    expect(await write(INT32_ARRAY, '1:2', int32s(11, 22))).toBe('Good');
    expect(await read(INT32_ARRAY, '')).toEqual(['Good', [ELEMENTS[0], 11, 22, ...ELEMENTS.slice(3)]]);
    expect(await write(INT32_ARRAY, '1:2', int32s(-1, 0))).toBe('Good');
  });

  it('changes a part of a matrix, whose shape stays', async () => {
    const corner = new Variant({ dataType: DataType.Int32, arrayType: VariantArrayType.Matrix, dimensions: [2, 1], value: [7, 8] });
    expect(await write(INT32_MATRIX, '0:1,2', corner)).toBe('Good');
    const { value } = await session.read({ nodeId: INT32_MATRIX, attributeId: Value });
    expect([value.dimensions, plain(value.value)]).toEqual([
      [2, 3],
      [-2_147_483_648, -1, 7, 1, 65_536, 8],
    ]);
  });

  it('changes a part of a text of the same length', async () => {
    expect(await write('ns=2;s=Scalar.Static.String', '0:4', new Variant({ dataType: DataType.String, value: 'Hallo' }))).toBe('Good');
    expect(await read('ns=2;s=Scalar.Static.String', '')).toEqual(['Good', `Hallo${TEXT.slice(5)}`]);
  });

  it.each([
    ['behind the end', INT32_ARRAY, '5:6', int32s(1, 2), 'BadIndexRangeNoData'],
    ['with another number of elements', INT32_ARRAY, '1:2', int32s(1), 'BadIndexRangeDataMismatch'],
    [
      'with elements of another type',
      INT32_ARRAY,
      '1',
      new Variant({ dataType: DataType.Double, arrayType: VariantArrayType.Array, value: [1] }),
      'BadTypeMismatch',
    ],
    ['of a variable that is read only', 'ns=2;s=Array.ReadOnly.Int32', '1', int32s(1), 'BadNotWritable'],
  ])('is refused %s, and changes nothing', async (_, nodeId, range, value, code) => {
    const before = await read(nodeId, '');
    expect(await write(nodeId, range, value)).toBe(code);
    expect(await read(nodeId, '')).toEqual(before);
  });
});
