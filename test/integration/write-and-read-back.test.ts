import { referenceNodeIds } from '@bulkhead/reference-server';
import {
  BinaryWriter,
  Variant as BulkheadVariant,
  DataValue,
  encodeVariant,
  NodeId,
  WriteRequest,
  WriteResponse,
  WriteValue,
} from '@bulkhead/types';
import { AttributeIds, type ClientSession, StatusCodes, type Variant } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import { RawSession } from '../support/raw-session.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';
import { bytesOf, goodValue } from '../support/variant-bytes.ts';

const { Value } = AttributeIds;
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;

beforeAll(async () => {
  server = await startReferenceTestServer();
  clients = await ForeignClients.create();
  session = await clients.session(server.endpointUrl);
  // Without this the library can't encode values of the server's own types.
  await session.extractNamespaceDataType();
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

async function read(nodeId: string): Promise<Variant> {
  return goodValue(await session.read({ nodeId, attributeId: Value }), nodeId);
}

async function write(nodeId: string, value: Variant): Promise<string> {
  return (await session.write({ nodeId, attributeId: Value, value: { value } })).name;
}

/** Writes, reads back and compares, and puts back what was there. */
async function expectRoundTrip(nodeId: string, value: Variant): Promise<void> {
  const before = await read(nodeId);
  expect(await write(nodeId, value)).toBe('Good');
  expect(bytesOf(await read(nodeId))).toBe(bytesOf(value));
  expect(await write(nodeId, before)).toBe('Good');
  expect(bytesOf(await read(nodeId))).toBe(bytesOf(before));
}

const {
  scalarStatic,
  scalarReadOnly,
  arrayStatic,
  arrayReadOnly,
  arrayEmpty,
  arrayNull,
  matrixStatic,
  matrixReadOnly,
  special,
  structure,
  analog,
  discrete,
} = referenceNodeIds;

/** What the library can't send as it read it: bodies it has no class for, a Union without a member, and dimensions of 0. */
const beyondTheLibrary = [
  'Special.Structure.Unknown',
  'Special.Structure.Xml',
  'Special.Structure.NoBody',
  'Special.Matrix.Empty',
  'Structure.CargoNone',
].map((name) => `ns=2;s=${name}`);
const readOnly = ['ns=2;s=Structure.PositionReadOnly', 'ns=2;s=Analog.Pressure'];
const writable = [...special, ...structure, ...analog, ...discrete].filter((nodeId) => !readOnly.includes(nodeId));

/** The variable of the same DataType with another value. */
function otherOf(nodeId: string): string {
  return nodeId.replace('.Static.', '.ReadOnly.');
}

describe('a value written by a foreign client', () => {
  it.each([...scalarStatic, ...arrayStatic, ...matrixStatic])('to %s is what is read then', async (nodeId) => {
    await expectRoundTrip(nodeId, await read(otherOf(nodeId)));
  });

  it.each([...arrayStatic])('to %s may be an empty array, or none', async (nodeId) => {
    const dataType = nodeId.slice(nodeId.lastIndexOf('.') + 1);
    const empty = `ns=2;s=Array.Empty.${dataType}`;
    if (!arrayEmpty.includes(empty)) return;
    await expectRoundTrip(nodeId, await read(empty));
    await expectRoundTrip(nodeId, await read(`ns=2;s=Array.Null.${dataType}`));
  });

  it.each([...arrayEmpty, ...arrayNull])('to %s may be an array with elements', async (nodeId) => {
    await expectRoundTrip(nodeId, await read(nodeId.replace(/Array\.(Empty|Null)/u, 'Array.Static')));
  });

  it.each(writable.filter((nodeId) => !beyondTheLibrary.includes(nodeId)))(
    'to %s, whatever it is, is what is read then',
    async (nodeId) => {
      await expectRoundTrip(nodeId, await read(nodeId));
    },
  );

  it.each([...scalarReadOnly, ...arrayReadOnly, ...matrixReadOnly, ...readOnly])('to %s is refused and changes nothing', async (nodeId) => {
    const before = await read(nodeId);
    expect(await write(nodeId, before)).toBe('BadNotWritable');
    expect(bytesOf(await read(nodeId))).toBe(bytesOf(before));
  });

  it('can be many at a time, each with its own status', async () => {
    const nodeIds = [...scalarStatic, ...scalarReadOnly, 'ns=2;s=Nothing'];
    const values = await session.read(scalarStatic.map((nodeId) => ({ nodeId, attributeId: Value })));
    const codes = await session.write(
      nodeIds.map((nodeId, i) => ({
        nodeId,
        attributeId: Value,
        value: { value: goodValue(values[i % scalarStatic.length]) },
      })),
    );
    expect(codes.map(({ name }) => name)).toEqual([
      ...scalarStatic.map(() => 'Good'),
      ...scalarReadOnly.map(() => 'BadNotWritable'),
      'BadNodeIdUnknown',
    ]);
  });

  it('stamps the time of the write', async () => {
    const before = Date.now();
    await write('ns=2;s=Scalar.Static.Double', await read('ns=2;s=Scalar.ReadOnly.Double'));
    const { sourceTimestamp, serverTimestamp, statusCode } = await session.read({
      nodeId: 'ns=2;s=Scalar.Static.Double',
      attributeId: Value,
    });
    expect(statusCode).toEqual(StatusCodes.Good);
    for (const time of [sourceTimestamp, serverTimestamp]) {
      expect(time?.getTime()).toBeGreaterThanOrEqual(before);
      expect(time?.getTime()).toBeLessThanOrEqual(Date.now());
    }
  });
});

describe('a value that the foreign client can’t send', () => {
  it.each([...beyondTheLibrary, ...structure.filter((nodeId) => !readOnly.includes(nodeId))])(
    'to %s is byte for byte what is read then',
    async (nodeId) => {
      const raw = await RawSession.open({ port: server.port });
      const readValue = async (): Promise<BulkheadVariant> => (await raw.read(nodeId)).results?.[0]?.value ?? BulkheadVariant.NULL;
      const before = await readValue();
      const nodesToWrite = [WriteValue.create({ nodeId: NodeId.parse(nodeId), attributeId: Value, value: new DataValue(before) })];
      const { results } = await raw.request(WriteRequest, { nodesToWrite }, WriteResponse);
      expect(results).toEqual([0]);
      expect(rawBytesOf(await readValue())).toBe(rawBytesOf(before));
      await raw.close();
    },
  );
});

function rawBytesOf(variant: BulkheadVariant): string {
  const writer = new BinaryWriter();
  encodeVariant(writer, variant);
  return writer.toBuffer().toString('hex');
}
