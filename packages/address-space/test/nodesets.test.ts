import type { DataTypeNode } from '@bulkhead/address-space';
import { VariableNode } from '@bulkhead/address-space';
import {
  AttributeIds,
  BuiltInType,
  type ExtensionObject,
  NodeId,
  StatusCodes,
  StructureDefinition,
  UaStatusError,
  UaStructureType,
  type Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { browseAll, createFixture, nodeSetXml, readNow } from './harness.ts';

/** Documents in an order in which each finds the models that it needs. */
const COMPANIONS = [
  'Opc.Ua.Di.NodeSet2.xml',
  'Opc.Ua.IA.NodeSet2.xml',
  'Opc.Ua.Machinery.NodeSet2.xml',
  'Opc.Ua.Machinery_Result.NodeSet2.xml',
  'Opc.Ua.AMB.NodeSet2.xml',
  'Opc.Ua.Adi.NodeSet2.xml',
  'Opc.Ua.Robotics.NodeSet2.xml',
  'Opc.Ua.PackML.NodeSet2.xml',
  'Opc.Ua.Scales.NodeSet2.xml',
  'Opc.Ua.MachineVision.NodeSet2.xml',
  'Opc.Ua.CNC.NodeSet.xml',
  'Opc.Ua.IRDI.NodeSet2.xml',
  'Opc.Ua.PADIM.NodeSet2.xml',
  'Opc.Ua.I4AAS.NodeSet2.xml',
  'Opc.Ua.AutoID.NodeSet2.xml',
];

describe('companion specifications', () => {
  it('load with every reference and every value', async () => {
    const { space } = createFixture();
    for (const file of COMPANIONS) {
      const xml = await nodeSetXml(file);
      const before = space.nodeCount;
      const { missingTargets, problems, nodeCount } = await space.loadNodeSet(xml);
      expect([file, missingTargets.map(({ source, target }) => `${source.toString()} → ${target.toString()}`), problems]).toEqual([
        file,
        [],
        [],
      ]);
      expect(space.nodeCount - before).toBe(nodeCount);
      expect(nodeCount).toBe(
        [...xml.matchAll(/<UA(?:Object|Variable|Method|View|ObjectType|VariableType|DataType|ReferenceType)\s/gu)].length,
      );
    }
    const cnc = space.namespaces.getIndex('http://opcfoundation.org/UA/CNC') as number;
    const position = [...(space.namespaces.at(cnc)?.nodes() ?? [])].find(
      (node) =>
        node instanceof VariableNode &&
        (readNow(space, node.nodeId).value?.value as ExtensionObject)?.content?.type.name === 'CncPositionDataType',
    );
    expect(readNow(space, position?.nodeId ?? NodeId.NULL).value?.value).toMatchObject({
      content: { value: { ActPos: 0, CmdPos: 0, RemDist: 0 } },
    });
  }, 60_000);
});

const document = (body: string, head = ''): string => `<?xml version="1.0"?>
<UANodeSet xmlns="http://opcfoundation.org/UA/2011/03/UANodeSet.xsd" xmlns:uax="http://opcfoundation.org/UA/2008/02/Types.xsd">
  <NamespaceUris><Uri>urn:test:model</Uri></NamespaceUris>${head}
  <Aliases><Alias Alias="HasComponent">i=47</Alias><Alias Alias="Organizes">i=35</Alias><Alias Alias="T">i=40</Alias></Aliases>
  ${body}
</UANodeSet>`;

const variable = (id: number, dataType: string, value: string, more = ''): string => `
  <UAVariable NodeId="ns=1;i=${id}" BrowseName="1:V${id}" DataType="${dataType}" ${more}>
    <DisplayName>V${id}</DisplayName>
    <References><Reference ReferenceType="T">i=63</Reference><Reference ReferenceType="Organizes" IsForward="false">i=85</Reference></References>
    <Value>${value}</Value>
  </UAVariable>`;

describe('loading a NodeSet', () => {
  it('maps namespaces to those of the server', async () => {
    const { space } = createFixture();
    space.namespaces.register('urn:test:other');
    await space.loadNodeSet(document(variable(1, 'i=17', '<uax:NodeId><uax:Identifier>ns=1;i=1</uax:Identifier></uax:NodeId>')));
    const index = space.namespaces.getIndex('urn:test:model') as number;
    expect(index).toBe(3);
    const nodeId = NodeId.numeric(index, 1);
    expect(String(readNow(space, nodeId).value?.value)).toBe(`ns=${index};i=1`);
    expect(String(readNow(space, nodeId, { attributeId: AttributeIds.BrowseName }).value?.value)).toBe(`${index}:V1`);
  });

  it('reads attributes, permissions and the texts of a node', async () => {
    const { space } = createFixture();
    await space.loadNodeSet(
      document(`<UAVariable NodeId="ns=1;s=x" BrowseName="1:X" SymbolicName="XSym" DataType="i=6" ValueRank="2" ArrayDimensions="2,0" AccessLevel="7"
        MinimumSamplingInterval="12.5" Historizing="true" WriteMask="64" AccessRestrictions="3">
        <DisplayName Locale="de">Iks</DisplayName><Description>an &amp; x</Description>
        <References><Reference ReferenceType="T">i=63</Reference><Reference ReferenceType="Organizes" IsForward="false">i=85</Reference></References>
        <RolePermissions><RolePermission Permissions="33">i=15644</RolePermission></RolePermissions>
      </UAVariable>
      <UAMethod NodeId="ns=1;s=m" BrowseName="1:M" Executable="false"><References><Reference ReferenceType="HasComponent" IsForward="false">i=85</Reference></References></UAMethod>`),
    );
    const node = space.getNode(NodeId.parse('ns=2;s=x')) as VariableNode;
    expect(node).toMatchObject({ valueRank: 2, accessLevel: 7, arrayDimensions: [2, 0] });
    expect(node.details).toMatchObject({ minimumSamplingInterval: 12.5, historizing: true });
    expect(node.extras).toMatchObject({
      writeMask: 64,
      accessRestrictions: 3,
      symbolicName: 'XSym',
      rolePermissions: [{ permissions: 33 }],
    });
    expect([node.displayName.locale, node.displayName.text, node.description.text]).toEqual(['de', 'Iks', 'an & x']);
    expect(space.getNode(NodeId.parse('ns=2;s=m'))).toMatchObject({ executable: false });
  });

  it('reads values of all built-in types, arrays and matrices', async () => {
    const { space } = createFixture();
    const cases: [string, BuiltInType, unknown][] = [
      ['<uax:Boolean>true</uax:Boolean>', BuiltInType.Boolean, true],
      ['<uax:SByte>-3</uax:SByte>', BuiltInType.SByte, -3],
      ['<uax:Int64>-9007199254740993</uax:Int64>', BuiltInType.Int64, -9007199254740993n],
      ['<uax:Double>INF</uax:Double>', BuiltInType.Double, Number.POSITIVE_INFINITY],
      ['<uax:String> a b </uax:String>', BuiltInType.String, ' a b '],
      [
        '<uax:Guid><uax:String>00000000-0000-0000-0000-00000000000A</uax:String></uax:Guid>',
        BuiltInType.Guid,
        '00000000-0000-0000-0000-00000000000a',
      ],
      ['<uax:ByteString>AQI=\n</uax:ByteString>', BuiltInType.ByteString, Buffer.from([1, 2])],
      ['<uax:StatusCode><uax:Code>2147483648</uax:Code></uax:StatusCode>', BuiltInType.StatusCode, 0x80000000],
      ['<uax:ListOfInt32><uax:Int32>1</uax:Int32><uax:Int32>2</uax:Int32></uax:ListOfInt32>', BuiltInType.Int32, [1, 2]],
      [
        '<uax:Matrix><uax:Dimensions><uax:Int32>2</uax:Int32><uax:Int32>1</uax:Int32></uax:Dimensions><uax:Elements><uax:Byte>7</uax:Byte><uax:Byte>8</uax:Byte></uax:Elements></uax:Matrix>',
        BuiltInType.Byte,
        [7, 8],
      ],
    ];
    const result = await space.loadNodeSet(document(cases.map(([xml], i) => variable(i + 1, 'i=24', xml, 'ValueRank="-2"')).join('')));
    expect(result.problems).toEqual([]);
    for (const [i, [, type, value]] of cases.entries()) {
      const variant = readNow(space, NodeId.numeric(2, i + 1)).value as Variant;
      expect([variant.type, variant.value]).toEqual([type, value]);
    }
    const times = document(variable(50, 'i=13', '<uax:DateTime>2020-01-02T03:04:05.6789Z</uax:DateTime>')).replaceAll(
      'urn:test:model',
      'urn:test:times',
    );
    await space.loadNodeSet(times);
    expect(String(readNow(space, NodeId.numeric(3, 50)).value?.value)).toContain('2020-01-02T03:04:05.678');
  });

  it('reads structures by their definitions and keeps unknown ones as XML', async () => {
    const { space } = createFixture();
    const object = (id: string, body: string): string =>
      `<uax:ExtensionObject><uax:TypeId><uax:Identifier>${id}</uax:Identifier></uax:TypeId><uax:Body>${body}</uax:Body></uax:ExtensionObject>`;
    const xml = document(`
      <UADataType NodeId="ns=1;i=10" BrowseName="1:Car">
        <References><Reference ReferenceType="i=45" IsForward="false">i=22</Reference><Reference ReferenceType="i=38">ns=1;i=11</Reference></References>
        <Definition Name="1:Car"><Field Name="Speed" DataType="i=11"/><Field Name="State" DataType="i=852"/><Field Name="Note" DataType="i=12" IsOptional="true"/></Definition>
      </UADataType>
      <UAObject NodeId="ns=1;i=11" BrowseName="Default Binary" SymbolicName="DefaultBinary"><References><Reference ReferenceType="T">i=76</Reference></References></UAObject>
      ${variable(1, 'ns=1;i=10', object('ns=1;i=11', '<Car xmlns="urn:x"><EncodingMask>0</EncodingMask><Speed>5.5</Speed><State>Failed_1</State></Car>'))}
      ${variable(2, 'i=22', object('ns=1;i=999', '<Odd xmlns="urn:odd" a="1"><B>x &lt; y</B></Odd>'))}
      ${variable(3, 'i=884', object('i=885', '<Range><Low>1</Low><High>2</High></Range>'))}`);
    const { problems } = await space.loadNodeSet(xml);
    expect(problems).toEqual([]);
    const value = (id: number): ExtensionObject => readNow(space, NodeId.numeric(2, id)).value?.value as ExtensionObject;
    expect(value(1).content?.value).toEqual({ Speed: 5.5, State: 1 });
    expect(value(2).body).toBe('<Odd xmlns="urn:odd" a="1"><B>x &lt; y</B></Odd>');
    expect(value(3).content?.value).toEqual({ low: 1, high: 2 });
    const definition = (space.getNode(NodeId.numeric(2, 10)) as DataTypeNode).definition?.decode(StructureDefinition);
    expect(definition).toMatchObject({ structureType: UaStructureType.StructureWithOptionalFields });
    expect(definition?.defaultEncodingId.toString()).toBe('ns=2;i=11');
  });

  it('gives one-sided references their other side and reports those that lead nowhere', async () => {
    const { space } = createFixture();
    const { missingTargets } = await space.loadNodeSet(
      document(`<UAObject NodeId="ns=1;i=1" BrowseName="1:A"><References><Reference ReferenceType="T">i=61</Reference>
          <Reference ReferenceType="Organizes">ns=1;i=2</Reference><Reference ReferenceType="Organizes">ns=1;i=77</Reference></References></UAObject>
        <UAObject NodeId="ns=1;i=2" BrowseName="1:B" ParentNodeId="ns=1;i=1"><References><Reference ReferenceType="T">i=58</Reference></References></UAObject>
        <UAObject NodeId="ns=1;i=3" BrowseName="1:C" ParentNodeId="ns=1;i=1"><References><Reference ReferenceType="T">i=58</Reference></References></UAObject>`),
    );
    expect(missingTargets.map(({ target }) => target.toString())).toEqual(['ns=2;i=77']);
    expect(browseAll(space, NodeId.numeric(2, 2), { browseDirection: 1 }).map(({ browseName }) => browseName.name)).toEqual(['A']);
    expect(browseAll(space, NodeId.numeric(2, 1)).map(({ browseName }) => browseName.name)).toEqual(['FolderType', 'B', 'C']);
  });

  it('refuses what is malformed, exists, or lacks a model, and adds nothing then', async () => {
    const { space } = createFixture();
    const before = space.nodeCount;
    const code = async (xml: string): Promise<number> => {
      const error: unknown = await space.loadNodeSet(xml).catch((reason: unknown) => reason);
      return error instanceof UaStatusError ? error.statusCode : 0;
    };
    const one = '<UAObject NodeId="ns=1;i=1" BrowseName="1:A"/>';
    expect(await code('<UANodeSet><a></UANodeSet>')).toBe(StatusCodes.BadDecodingError);
    expect(await code('<other/>')).toBe(StatusCodes.BadDecodingError);
    expect(await code('<!DOCTYPE a [<!ENTITY b "c">]><UANodeSet/>')).toBe(StatusCodes.BadDecodingError);
    expect(await code(document('<UAObject NodeId="ns=9;i=1" BrowseName="1:A"/>'))).toBe(StatusCodes.BadDecodingError);
    expect(await code(document(`${'<a>'.repeat(300)}${'</a>'.repeat(300)}`))).toBe(StatusCodes.BadDecodingError);
    expect(await code(document(one + one))).toBe(StatusCodes.BadNodeIdExists);
    const models = '<Models><Model ModelUri="urn:test:model"><RequiredModel ModelUri="urn:test:needed"/></Model></Models>';
    expect(await code(document(one, models))).toBe(StatusCodes.BadConfigurationError);
    expect(space.nodeCount).toBe(before);
  });

  it('reads a document in pieces', async () => {
    const { space } = createFixture();
    const xml = document(variable(1, 'i=12', '<uax:String>grüß</uax:String>'));
    await space.loadNodeSet(
      (async function* () {
        for (let at = 0; at < xml.length; at += 7) yield xml.slice(at, at + 7);
      })(),
    );
    expect(readNow(space, NodeId.numeric(2, 1)).value?.value).toBe('grüß');
  });
});
