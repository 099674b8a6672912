import { AddressSpace, type Node } from '@bulkhead/address-space';
import { createManualRuntime } from '@bulkhead/testkit';
import { BuiltInType, DateTime, LocalizedText, NodeId, QualifiedName, StatusCodes, UaStatusError, Variant } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { browseAll, createFixture, readNow } from './harness.ts';

function codeOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof UaStatusError) return error.statusCode;
    throw error;
  }
  return StatusCodes.Good;
}

describe('building an address space', () => {
  it('places objects, variables and methods where the options say', () => {
    const { space } = createFixture();
    const boiler = space.addObject({ browseName: 'Boiler' });
    boiler.addVariable({ browseName: 'Temperature', dataType: 'Double', value: 21.5 });
    boiler.addFolder({ browseName: 'Parts' }).addVariable({ browseName: 'Part', dataType: 'String', value: 'x' });
    boiler.addMethod({ browseName: 'Reset', call: async () => [] });
    const references = (node: Node): string[] =>
      browseAll(space, node.nodeId).map(
        ({ referenceTypeId, browseName }) => `${space.getNode(referenceTypeId)?.name} ${browseName.toString()}`,
      );
    expect(references(boiler)).toEqual([
      'HasTypeDefinition BaseObjectType',
      'HasComponent 1:Temperature',
      'Organizes 1:Parts',
      'HasComponent 1:Reset',
    ]);
    expect(references(space.objectsFolder)).toContain('Organizes 1:Boiler');
    const parts = boiler.child('Parts');
    expect(parts === undefined ? [] : references(parts)).toContain('Organizes 1:Part');
  });

  it('takes ids as numbers, texts and NodeIds, and hands out numbers otherwise', () => {
    const { space } = createFixture();
    const namespace = space.namespaces.register('urn:test:line');
    expect(namespace.index).toBe(2);
    const ids = (['s=a', 'ns=1;s=b', 7, NodeId.guid(2, '00000000-0000-0000-0000-000000000001'), undefined, 'b=AQI='] as const).map(
      (nodeId) => space.addObject({ browseName: 'O', namespace, ...(nodeId === undefined ? {} : { nodeId }) }).nodeId.toString(),
    );
    expect(ids).toEqual(['ns=2;s=a', 'ns=1;s=b', 'ns=2;i=7', 'ns=2;g=00000000-0000-0000-0000-000000000001', 'ns=2;i=1', 'ns=2;b=AQI=']);
    for (const id of ids) expect(space.getNode(NodeId.parse(id))?.nodeId.toString()).toBe(id);
    const child = space.getNode(NodeId.parse('ns=2;s=a'))?.addObject({ browseName: 'Child' });
    expect(child?.nodeId.namespaceIndex).toBe(2);
    expect(child?.browseName.equals(new QualifiedName(2, 'Child'))).toBe(true);
  });

  it('refuses ids that exist, unknown types and names that are none', () => {
    const { space } = createFixture();
    space.addObject({ browseName: 'A', nodeId: 's=a' });
    const before = space.nodeCount;
    expect(codeOf(() => space.addObject({ browseName: 'A', nodeId: 's=a' }))).toBe(StatusCodes.BadNodeIdExists);
    expect(codeOf(() => space.addObject({ browseName: '' }))).toBe(StatusCodes.BadBrowseNameInvalid);
    expect(codeOf(() => space.addVariable({ browseName: 'V', dataType: 'Doubel' }))).toBe(StatusCodes.BadNodeIdUnknown);
    expect(codeOf(() => space.addVariable({ browseName: 'V', dataType: 'Double', value: 'x' }))).toBe(StatusCodes.BadTypeMismatch);
    expect(codeOf(() => space.addVariable({ browseName: 'V', dataType: 'Byte', value: 256 }))).toBe(StatusCodes.BadOutOfRange);
    expect(codeOf(() => space.addVariable({ browseName: 'V', dataType: 'Double', value: [1], valueRank: -1 }))).toBe(
      StatusCodes.BadTypeMismatch,
    );
    expect(codeOf(() => space.addObject({ browseName: 'B', referenceType: 'Double' }))).toBe(StatusCodes.BadNodeIdUnknown);
    expect(codeOf(() => space.addObject({ browseName: 'B', nodeId: 'ns=9;s=a' }))).toBe(StatusCodes.BadNodeIdInvalid);
    expect(space.nodeCount).toBe(before);
  });

  it('makes values of every built-in type of plain TypeScript values', () => {
    const { space } = createFixture();
    const cases: [string, unknown, BuiltInType, unknown][] = [
      ['Boolean', true, BuiltInType.Boolean, true],
      ['SByte', -5, BuiltInType.SByte, -5],
      ['UInt64', 5, BuiltInType.UInt64, 5n],
      ['Int64', -5n, BuiltInType.Int64, -5n],
      ['Float', 0.5, BuiltInType.Float, 0.5],
      ['String', 'a', BuiltInType.String, 'a'],
      ['DateTime', new Date(5), BuiltInType.DateTime, DateTime.fromUnixMs(5)],
      ['Guid', '00000000-0000-0000-0000-00000000000A', BuiltInType.Guid, '00000000-0000-0000-0000-00000000000a'],
      ['NodeId', 'ns=1;i=5', BuiltInType.NodeId, NodeId.numeric(1, 5)],
      ['QualifiedName', '1:a', BuiltInType.QualifiedName, new QualifiedName(1, 'a')],
      ['LocalizedText', 'a', BuiltInType.LocalizedText, new LocalizedText('a')],
      ['StatusCode', 0x80000000, BuiltInType.StatusCode, 0x80000000],
      ['Number', 1.5, BuiltInType.Double, 1.5],
      ['Integer', 1, BuiltInType.Int32, 1],
      ['UInteger', 1, BuiltInType.UInt32, 1],
      ['BaseDataType', 'a', BuiltInType.String, 'a'],
    ];
    for (const [dataType, value, type, stored] of cases) {
      const variant = space.addVariable({ browseName: 'V', dataType, value }).dataValue.value;
      expect([dataType, variant?.type, variant?.value]).toEqual([dataType, type, stored]);
      const array = space.addVariable({ browseName: 'V', dataType, value: [value, value] });
      expect([dataType, array.valueRank, array.dataValue.value]).toEqual([dataType, 1, Variant.array(type, [stored, stored] as never)]);
    }
    const typed = space.addVariable({ browseName: 'T', dataType: 'Double', value: new Float64Array([1, 2]) });
    expect(typed.valueRank).toBe(1);
    const matrix = space.addVariable({ browseName: 'M', dataType: 'Int32', value: [[[1, 2]], [[3, 4]]] });
    expect([matrix.valueRank, matrix.dataValue.value?.dimensions]).toEqual([3, [2, 1, 2]]);
    expect(codeOf(() => space.addVariable({ browseName: 'M', dataType: 'Int32', value: [[1, 2], [3]] }))).toBe(StatusCodes.BadTypeMismatch);
    const flat = space.addVariable({ browseName: 'F', dataType: 'Int32', value: [1, 2, 3, 4], arrayDimensions: [2, 2] });
    expect(flat.dataValue.value?.dimensions).toEqual([2, 2]);
  });

  it('removes a node with what only hangs below it', () => {
    const { space } = createFixture();
    const before = space.nodeCount;
    const object = space.addObject({ browseName: 'O' });
    const shared = object.addVariable({ browseName: 'Shared', dataType: 'Double', value: 1 });
    object.addObject({ browseName: 'Inner' }).addProperty({ browseName: 'P', dataType: 'Double', value: 1 });
    const folder = space.addFolder({ browseName: 'F' });
    space.addReference(folder, 'Organizes', shared);
    space.deleteNode(object);
    expect(space.nodeCount).toBe(before + 2);
    expect(readNow(space, shared.nodeId).statusCode).toBe(StatusCodes.Good);
    expect(browseAll(space, space.objectsFolder.nodeId).map(({ browseName }) => browseName.name)).not.toContain('O');
    expect(codeOf(() => space.deleteNode(object))).toBe(StatusCodes.BadNodeIdUnknown);
    expect(codeOf(() => space.deleteNode('i=85'))).toBe(StatusCodes.BadNoDeleteRights);
  });

  it('removes an instance of namespace 0 only when told that it is one, and never a type', () => {
    const { space } = createFixture();
    const historyCapabilities = 'i=11192';
    const insertData = NodeId.numeric(0, 11196);
    const before = space.nodeCount;
    expect(codeOf(() => space.deleteNode(historyCapabilities))).toBe(StatusCodes.BadNoDeleteRights);
    space.deleteStandardNode(historyCapabilities);
    expect(before - space.nodeCount).toBe(1 + 15 + 1);
    expect(space.getNode(insertData)).toBeUndefined();
    expect(space.getNode(NodeId.numeric(0, 2268))?.child('HistoryServerCapabilities')).toBeUndefined();
    expect(codeOf(() => space.deleteStandardNode(historyCapabilities))).toBe(StatusCodes.BadNodeIdUnknown);
    expect(codeOf(() => space.deleteStandardNode('i=2330'))).toBe(StatusCodes.BadNoDeleteRights);
  });

  it('adds a reference once, and removes both of its ends', () => {
    const { space } = createFixture();
    const a = space.addObject({ browseName: 'A' });
    const b = space.addObject({ browseName: 'B' });
    expect(space.addReference(a, 'Organizes', b)).toBe(true);
    expect(space.addReference(a, 'Organizes', b)).toBe(false);
    expect([...b.references()].filter(({ target }) => target === a)).toHaveLength(1);
    expect(space.deleteReference(a, 'Organizes', b)).toBe(true);
    expect(space.deleteReference(a, 'Organizes', b)).toBe(false);
    expect([...b.references()].filter(({ target }) => target === a)).toHaveLength(0);
  });

  it('keeps subtype checks finite when HasSubtype goes round in a circle', () => {
    const { space } = createFixture();
    const a = space.addObjectType({ name: 'A' });
    const b = space.addObjectType({ name: 'B', superType: a });
    space.addReference(b, 'HasSubtype', a);
    expect(space.types.isSubtypeOf(b.nodeId, a.nodeId)).toBe(true);
    expect(space.types.isSubtypeOf(a.nodeId, NodeId.numeric(0, 35))).toBe(false);
  });

  it('tells who asks when a namespace is registered', () => {
    const space = new AddressSpace({ runtime: createManualRuntime(), applicationUri: 'urn:test:server' });
    let count = 0;
    space.namespaces.onRegistered(() => count++);
    expect(space.namespaces.register('urn:a').index).toBe(2);
    expect(space.namespaces.register('urn:a').index).toBe(2);
    expect(count).toBe(1);
    expect(space.namespaces.uris).toEqual(['http://opcfoundation.org/UA/', 'urn:test:server', 'urn:a']);
  });
});
