import { AddressSpace, MethodNode, ObjectNode, packCoreNamespace, TypeNode, VariableNode } from '@bulkhead/address-space';
import { createManualRuntime } from '@bulkhead/testkit';
import {
  Argument,
  AttributeIds,
  BuiltInType,
  EnumDefinition,
  type ExtensionObject,
  NodeId,
  StatusCodes,
  StructureDefinition,
  type StructureType,
  UaStructureType,
} from '@bulkhead/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { createFixture, nodeSetXml, readNow } from './harness.ts';

const definitionOf = (space: AddressSpace, id: number): StructureDefinition => {
  const value = readNow(space, NodeId.numeric(0, id), { attributeId: AttributeIds.DataTypeDefinition }).value?.value;
  return (value as ExtensionObject).decode(StructureDefinition);
};

describe('the precompiled namespace 0', () => {
  const { space } = createFixture();
  let xml = '';
  beforeAll(async () => {
    xml = await nodeSetXml('Opc.Ua.NodeSet2.xml');
  });

  it('has exactly the nodes of the official NodeSet', () => {
    const ids = [...xml.matchAll(/<UA(?:Object|Variable|Method|View|ObjectType|VariableType|DataType|ReferenceType) NodeId="i=(\d+)"/gu)];
    expect(ids.length).toBeGreaterThan(5000);
    expect(space.namespaces.core.nodeCount).toBe(ids.length);
    expect(ids.filter(([, id]) => space.getNode(NodeId.numeric(0, Number(id))) === undefined)).toEqual([]);
  });

  it('has both ends of every reference, and every target', () => {
    const broken: string[] = [];
    for (const node of space.namespaces.core.nodes()) {
      for (const { type, isForward, target } of node.references()) {
        const isKnown = space.getNode(target.nodeId) === target && space.getNode(type.nodeId) === type;
        const hasOtherEnd = [...target.references()].some(
          (back) => back.type === type && back.isForward !== isForward && back.target === node,
        );
        if (!isKnown || !hasOtherEnd) broken.push(`${node.toString()} → ${target.toString()}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('gives every object and variable a type and every type but the roots a supertype', () => {
    const roots = new Set([24, 31, 58, 62]);
    const odd: string[] = [];
    for (const node of space.namespaces.core.nodes()) {
      if (node instanceof TypeNode && node.superType === undefined && !roots.has(node.identifier as number)) odd.push(node.toString());
      if ((node instanceof ObjectNode || node instanceof VariableNode) && space.types.typeDefinitionOf(node) === undefined)
        odd.push(node.toString());
    }
    expect(odd).toEqual([]);
  });

  it('reads the DataTypeDefinition of every DataType that the NodeSet defines', () => {
    const defined = [...xml.matchAll(/<UADataType NodeId="i=(\d+)"(?:(?!<\/UADataType>)[\s\S])*?<Definition/gu)].map(([, id]) =>
      Number(id),
    );
    expect(defined.length).toBeGreaterThan(200);
    for (const id of defined) {
      const value = readNow(space, NodeId.numeric(0, id), { attributeId: AttributeIds.DataTypeDefinition });
      const object = value.value?.value as ExtensionObject;
      const isEnum = object?.is(EnumDefinition as StructureType<never>);
      expect(isEnum ? object.decode(EnumDefinition) : object.decode(StructureDefinition)).toBeDefined();
    }
  });

  it('puts inherited fields first in a structure definition', () => {
    const userName = definitionOf(space, 322);
    expect(userName.fields?.map((field) => field.name)).toEqual(['PolicyId', 'UserName', 'Password', 'EncryptionAlgorithm']);
    expect(userName.baseDataType.identifier).toBe(316);
    expect(userName.defaultEncodingId.identifier).toBe(324);
    expect(userName.structureType).toBe(UaStructureType.Structure);
    expect(definitionOf(space, 15_597).structureType).toBe(UaStructureType.StructureWithSubtypedValues);
  });

  it('resolves the built-in type of every DataType', () => {
    const cases: [number, BuiltInType][] = [
      [290, BuiltInType.Double],
      [294, BuiltInType.DateTime],
      [852, BuiltInType.Int32],
      [862, BuiltInType.ExtensionObject],
      [295, BuiltInType.String],
      [95, BuiltInType.UInt16],
      [26, BuiltInType.Variant],
      [24, BuiltInType.Variant],
      [29, BuiltInType.Int32],
      [30, BuiltInType.ByteString],
    ];
    for (const [id, type] of cases) {
      expect([id, space.types.builtInTypeOf(NodeId.numeric(0, id))]).toEqual([id, type]);
    }
  });

  it('decodes values when they are first read', () => {
    const method = space.getNode(NodeId.numeric(0, 11_492));
    expect(method).toBeInstanceOf(MethodNode);
    const property = method?.child('InputArguments');
    const value = readNow(space, property?.nodeId ?? NodeId.NULL);
    expect(value.statusCode).toBe(StatusCodes.Good);
    const argument = value.value?.elements?.[0] as ExtensionObject | undefined;
    expect(argument?.decode(Argument)).toMatchObject({ name: 'SubscriptionId', valueRank: -1 });
    expect(readNow(space, property?.nodeId ?? NodeId.NULL)).toBe(value);
  });

  it('is the same, bit by bit, when it is packed again', () => {
    const packed = packCoreNamespace(space);
    const again = createFixture().space;
    expect(packCoreNamespace(again).equals(packed)).toBe(true);
  });

  it('equals what the XML loader makes of the same document', async () => {
    const loaded = new AddressSpace({ runtime: createManualRuntime(), applicationUri: 'urn:test:server' });
    const result = await loaded.loadNodeSet(xml);
    expect(result).toMatchObject({ missingTargets: [], problems: [], nodeCount: space.namespaces.core.nodeCount });
    expect(packCoreNamespace(loaded).equals(packCoreNamespace(space))).toBe(true);
  });
});
