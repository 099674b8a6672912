import { DataTypeNode, type Node, VariableNode } from '@bulkhead/address-space';
import { AttributeIds, NodeClass, NodeId, StatusCodes, Variant } from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { BENCH_VARIABLE_COUNT, DEEP_PATH_LENGTH, MANY_CHILDREN_COUNT, referenceNodeIds } from '../src/nodes/node-ids.ts';
import { createReferenceSpace, type ReferenceSpace } from './harness.ts';

/** Groups whose members read Good. */
const readable = [
  'scalarStatic',
  'scalarReadOnly',
  'arrayStatic',
  'arrayReadOnly',
  'arrayEmpty',
  'arrayNull',
  'matrixStatic',
  'matrixReadOnly',
  'special',
  'analog',
  'discrete',
  'bench',
  'benchWritable',
  'counter',
  'manyChildren',
  'structure',
] as const;

/** Groups whose members take back what they were read as. */
const writable = ['scalarStatic', 'arrayStatic', 'arrayEmpty', 'arrayNull', 'matrixStatic', 'special', 'benchWritable'] as const;

describe('the nodes of the reference server', () => {
  let reference: ReferenceSpace;
  beforeAll(async () => {
    reference = await createReferenceSpace();
  });

  function nodeOf(id: string): Node {
    const node = reference.space.getNode(NodeId.parse(id));
    if (node === undefined) throw new Error(`there is no ${id}`);
    return node;
  }

  it('are in namespace 2, below Objects/Bulkhead, and all there', () => {
    const ids = Object.values(referenceNodeIds).flat();
    expect(ids.filter((id) => reference.space.getNode(NodeId.parse(id)) === undefined)).toEqual([]);
    expect(reference.space.namespaces.uris[2]).toBe('urn:bulkhead:reference-server');
    expect(reference.space.objectsFolder.child('Bulkhead', 2)?.nodeId.toString()).toBe('ns=2;s=Bulkhead');
  });

  it('include every variable and method that the folder holds: the list of ids is complete', () => {
    const listed = new Set(Object.values(referenceNodeIds).flat());
    const unlisted: string[] = [];
    for (const node of reference.space.namespaces.at(2)?.nodes() ?? []) {
      const isComponent =
        node instanceof VariableNode
          ? reference.space.types.typeDefinitionOf(node)?.name !== 'PropertyType'
          : node.nodeClass === NodeClass.Method;
      if ((isComponent || node instanceof DataTypeNode) && !listed.has(node.nodeId.toString())) unlisted.push(node.nodeId.toString());
    }
    expect(unlisted).toEqual([]);
  });

  it('are so many of a kind as promised', () => {
    expect(referenceNodeIds.bench).toHaveLength(BENCH_VARIABLE_COUNT);
    expect(referenceNodeIds.scalarStatic).toHaveLength(26);
    const children = [...nodeOf('ns=2;s=Many').references()].filter(({ isForward, type }) => isForward && type.isHierarchical);
    expect(children).toHaveLength(MANY_CHILDREN_COUNT);
    let depth = 0;
    for (let node = nodeOf('ns=2;s=Deep').child('Level1'); node !== undefined; node = node.child(`Level${depth + 1}`)) depth++;
    expect(depth).toBe(DEEP_PATH_LENGTH);
  });

  it.each(readable)('%s can be read with Good, and have the DataType and ValueRank they claim', async (group) => {
    for (const id of referenceNodeIds[group]) {
      const { statusCode, sourceTimestamp, serverTimestamp } = await reference.read(id);
      expect([id, statusCode]).toEqual([id, StatusCodes.Good]);
      expect(sourceTimestamp).toBeDefined();
      expect(serverTimestamp).toBeDefined();
    }
  });

  it.each(writable)('%s take every value that they were read as, and refuse a value of another kind', async (group) => {
    for (const id of referenceNodeIds[group]) {
      const { value = Variant.NULL } = await reference.read(id);
      expect([id, await reference.write(id, value)]).toEqual([id, StatusCodes.Good]);
      expect((await reference.read(id)).value).toEqual(value);
      if (!id.endsWith('BaseDataType') && !id.endsWith('Special.Null')) {
        const other = value.type === 1 ? Variant.double(1) : Variant.boolean(true);
        expect([id, await reference.write(id, other)]).toEqual([id, StatusCodes.BadTypeMismatch]);
      }
    }
  });

  it.each(['scalarReadOnly', 'arrayReadOnly', 'matrixReadOnly'] as const)('%s can’t be written', async (group) => {
    for (const id of referenceNodeIds[group]) {
      const { value = Variant.NULL } = await reference.read(id);
      expect([id, await reference.write(id, value)]).toEqual([id, StatusCodes.BadNotWritable]);
    }
  });

  it('tell a null array from an empty one', async () => {
    for (const id of referenceNodeIds.arrayNull) expect((await reference.read(id)).value).toMatchObject({ isArray: true, value: null });
    for (const id of referenceNodeIds.arrayEmpty) expect((await reference.read(id)).value).toMatchObject({ isArray: true, value: [] });
  });

  it('keep the StatusCode of values that are not good', async () => {
    const codes = await Promise.all(referenceNodeIds.status.map(async (id) => (await reference.read(id)).statusCode));
    expect(new Set(codes).size).toBe(codes.length);
    expect(codes).not.toContain(StatusCodes.Good);
    expect((await reference.read('ns=2;s=Status.BadSensorFailure')).statusCode).toBe(StatusCodes.BadSensorFailure);
  });

  it('give analog items a range and a unit', async () => {
    const range = (await reference.read('ns=2;s=Analog.Temperature.EURange')).value?.value as { content: { value: unknown } };
    expect(range.content.value).toEqual({ low: -40, high: 125 });
    const unit = (await reference.read('ns=2;s=Analog.Pressure.EngineeringUnits')).value?.value as { content: { value: unknown } };
    expect(unit.content.value).toMatchObject({ unitId: 4_342_098, displayName: { text: 'bar' } });
    expect(nodeOf('ns=2;s=Analog.Temperature').child('EURange', 0)).toBeDefined();
  });

  it('let multi-state items have no state without a name', async () => {
    expect(await reference.write('ns=2;s=Discrete.MultiState', Variant.uint32(3))).toBe(StatusCodes.Good);
    expect(await reference.write('ns=2;s=Discrete.MultiState', Variant.uint32(4))).toBe(StatusCodes.BadOutOfRange);
    expect(await reference.write('ns=2;s=Discrete.MultiStateValue', Variant.int32(99))).toBe(StatusCodes.Good);
    expect((await reference.read('ns=2;s=Discrete.MultiStateValue.ValueAsText')).value?.value).toMatchObject({ text: 'Stuck' });
    expect(await reference.write('ns=2;s=Discrete.MultiStateValue', Variant.int32(11))).toBe(StatusCodes.BadOutOfRange);
    expect((await reference.read('ns=2;s=Discrete.MultiStateValue')).value?.value).toBe(99);
  });

  it('describe their own DataTypes', async () => {
    for (const id of referenceNodeIds.dataType) {
      const { statusCode, value } = await reference.read(id, AttributeIds.DataTypeDefinition);
      expect([id, statusCode, value?.isNull]).toEqual([id, StatusCodes.Good, false]);
    }
  });
});

describe('variables that change', () => {
  it('count at their intervals, and stop with the nodes', async () => {
    const { intervals, nodes, ...reference } = await createReferenceSpace();
    expect(intervals.periodsMs.toSorted((a, b) => a - b)).toEqual([10, 100, 1000]);
    intervals.tick(10);
    intervals.tick(10);
    intervals.tick(1000);
    const counts = await Promise.all(referenceNodeIds.counter.map(async (id) => (await reference.read(id)).value?.value));
    expect(counts).toEqual([2, 0, 1]);
    nodes.stop();
    nodes.stop();
    expect(intervals.periodsMs).toEqual([]);
  });

  it('are all 1,000 Bench.Double when a bench tick is wanted, on one interval', async () => {
    const { intervals, nodes, ...reference } = await createReferenceSpace(25);
    expect(intervals.periodsMs.filter((periodMs) => periodMs === 25)).toHaveLength(1);
    const values = (): Promise<unknown[]> => Promise.all(referenceNodeIds.bench.map(async (id) => (await reference.read(id)).value?.value));
    const before = await values();
    intervals.tick(25);
    const after = await values();
    expect(after.filter((value, i) => value === before[i])).toEqual([]);
    nodes.stop();
    expect(intervals.periodsMs).toEqual([]);
  });
});
