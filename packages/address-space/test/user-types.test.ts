import {
  AttributeIds,
  BinaryReader,
  BinaryWriter,
  BuiltInType,
  DataValue,
  decodeJsonBuiltIn,
  decodeVariant,
  EnumDefinition,
  EUInformation,
  ExtensionObject,
  encodeJsonBuiltIn,
  encodeVariant,
  LocalizedText,
  NodeId,
  parseJson,
  QualifiedName,
  Range,
  StatusCodes,
  StructureDefinition,
  UaStructureType,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { createFixture, readNow, write } from './harness.ts';

/** The value as a client gets it. */
function overTheWire(variant: Variant | undefined): Variant {
  const writer = new BinaryWriter();
  encodeVariant(writer, variant ?? Variant.NULL);
  return decodeVariant(new BinaryReader(writer.toBuffer()));
}

function objectOf(variant: Variant | undefined): ExtensionObject {
  if (variant?.value instanceof ExtensionObject) return variant.value;
  throw new Error('no structure');
}

describe("structures of one's own", () => {
  const { space } = createFixture();
  const color = space.addEnumerationType({ name: 'Color', values: ['Red', 'Green', { name: 'Blue', value: 2, displayName: 'Blau' }] });
  const point = space.addStructureType({
    name: 'Point',
    nodeId: 's=Point',
    binaryEncodingId: 's=Point.Binary',
    fields: [
      { name: 'x', dataType: 'Double' },
      { name: 'y', dataType: 'Double' },
    ],
  });
  const shape = space.addStructureType({
    name: 'Shape',
    fields: [
      { name: 'name', dataType: 'String' },
      { name: 'color', dataType: color },
      { name: 'corners', dataType: point, valueRank: 1 },
      { name: 'grid', dataType: 'Int32', valueRank: 2 },
      { name: 'note', dataType: 'LocalizedText', optional: true },
      { name: 'limits', dataType: 'Range', optional: true },
      { name: 'anything', dataType: 'BaseDataType' },
    ],
  });
  const circle = space.addStructureType({ name: 'Circle', superType: point, fields: [{ name: 'radius', dataType: 'Double' }] });
  const choice = space.addStructureType({
    name: 'Choice',
    isUnion: true,
    fields: [
      { name: 'number', dataType: 'Int64' },
      { name: 'point', dataType: point },
    ],
  });
  const definition = (node: typeof point): StructureDefinition =>
    objectOf(readNow(space, node.nodeId, { attributeId: AttributeIds.DataTypeDefinition }).value).decode(StructureDefinition);

  it('have a definition, an encoding and a place below Structure', () => {
    expect(definition(point)).toMatchObject({ structureType: UaStructureType.Structure });
    expect(String(definition(point).defaultEncodingId)).toBe('ns=1;s=Point.Binary');
    expect(definition(shape).structureType).toBe(UaStructureType.StructureWithOptionalFields);
    expect(definition(choice).structureType).toBe(UaStructureType.Union);
    expect(definition(circle).fields?.map(({ name }) => name)).toEqual(['x', 'y', 'radius']);
    expect(definition(circle).baseDataType.equals(point.nodeId)).toBe(true);
    expect(space.types.isStructure(shape.nodeId)).toBe(true);
    expect(point.child('Default Binary')).toBeUndefined();
    expect(space.types.encodingOf(point)?.toString()).toBe('ns=1;s=Point.Binary');
  });

  it('take plain objects as values and travel as bytes', () => {
    const value = {
      name: 'triangle',
      color: 1,
      corners: [
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 0, y: 1 },
      ],
      grid: [
        [1, 2, 3],
        [4, 5, 6],
      ],
      limits: { low: 0, high: 10 },
      anything: Variant.string('x'),
    };
    const node = space.addVariable({ browseName: 'S', dataType: shape, value });
    const object = overTheWire(readNow(space, node.nodeId).value).value as ExtensionObject;
    expect(object.body).toBeInstanceOf(Uint8Array);
    expect(space.structures.decode(object)).toEqual(value);
  });

  it('fill in what a value leaves out', () => {
    const node = space.addVariable({ browseName: 'S2', dataType: shape, value: { corners: [{ x: 2 }] } });
    const decoded = space.structures.decode(overTheWire(readNow(space, node.nodeId).value).value as ExtensionObject);
    expect(decoded).toEqual({ name: null, color: 0, corners: [{ x: 2, y: 0 }], grid: [], anything: Variant.NULL });
  });

  it.each(['compact', 'verbose'] as const)('travel as %s JSON', (flavour) => {
    const context = { namespaceUris: ['http://opcfoundation.org/UA/', 'urn:own'], serverUris: [], structures: space.structures };
    const values = [
      { name: 'a', color: 2, corners: [{ x: 1, y: 0 }], grid: [[1], [2]], note: new LocalizedText('n'), anything: Variant.string('x') },
      { name: null, color: 0, corners: null, grid: [], limits: { low: 0, high: 0 }, anything: Variant.NULL },
    ];
    const shapes = space.addVariable({ browseName: `J1 ${flavour}`, dataType: shape, value: values });
    const choices = space.addVariable({
      browseName: `J2 ${flavour}`,
      dataType: choice,
      value: [{ number: 0n }, { point: { x: 1, y: 2 } }, {}],
    });
    for (const node of [shapes, choices]) {
      const variant = overTheWire(readNow(space, node.nodeId).value);
      const json = JSON.stringify(encodeJsonBuiltIn(BuiltInType.Variant, variant, flavour, context));
      expect(json).toContain('"UaTypeId":"nsu=urn:own;');
      expect(json).not.toContain('UaBody');
      const decoded = overTheWire(decodeJsonBuiltIn(BuiltInType.Variant, parseJson(json), context));
      const plain = (value: Variant): unknown[] => (value.value as ExtensionObject[]).map((object) => space.structures.decode(object));
      expect(plain(decoded)).toEqual(plain(variant));
    }
  });

  it('have unions with one field', () => {
    const node = space.addVariable({ browseName: 'U', dataType: choice, value: [{ number: 5n }, { point: { x: 1, y: 2 } }, {}] });
    const objects = overTheWire(readNow(space, node.nodeId).value).value as ExtensionObject[];
    expect(objects.map((object) => space.structures.decode(object))).toEqual([{ number: 5n }, { point: { x: 1, y: 2 } }, {}]);
  });

  it('can be written where they or a supertype are expected', async () => {
    const node = space.addVariable({ browseName: 'P', dataType: point, value: { x: 1, y: 2 }, writable: true });
    const type = space.structures.ofDataType(circle.nodeId);
    if (type === undefined) throw new Error('no structure');
    const bytes = ExtensionObject.of(type, { x: 1, y: 2, radius: 3 });
    const sent = new ExtensionObject(bytes.typeId, bytes.toBinaryBody());
    const value = new DataValue(Variant.scalar(BuiltInType.ExtensionObject, sent));
    expect(await write(space, node.nodeId, value)).toBe(StatusCodes.Good);
    const other = space.addVariable({ browseName: 'C', dataType: shape, value: {}, writable: true });
    expect(await write(space, other.nodeId, value)).toBe(StatusCodes.BadTypeMismatch);
  });

  it('refuse bytes that are no value of theirs', () => {
    const node = space.addVariable({ browseName: 'L', dataType: shape, value: {} });
    const body = objectOf(readNow(space, node.nodeId).value).toBinaryBody() as Uint8Array;
    for (let end = 0; end < body.length; end++) {
      expect(() => space.structures.decode(new ExtensionObject(space.types.encodingOf(shape) ?? NodeId.NULL, body.slice(0, end)))).toThrow(
        /./u,
      );
    }
  });

  it('have enumerations with a definition and the names of the values', () => {
    const value = readNow(space, color.nodeId, { attributeId: AttributeIds.DataTypeDefinition }).value?.value as ExtensionObject;
    expect(value.decode(EnumDefinition).fields?.map(({ name, value: number, displayName }) => [name, number, displayName.text])).toEqual([
      ['Red', 0n, 'Red'],
      ['Green', 1n, 'Green'],
      ['Blue', 2n, 'Blau'],
    ]);
    expect(color.child('EnumStrings')).toBeDefined();
    const sparse = space.addEnumerationType({ name: 'Sparse', values: [{ name: 'Ten', value: 10 }] });
    expect(sparse.child('EnumValues')).toBeDefined();
    expect(space.types.builtInTypeOf(color.nodeId)).toBe(BuiltInType.Int32);
  });

  it('refuse a supertype that is no structure and two fields of one name', () => {
    expect(() => space.addStructureType({ name: 'Bad', superType: 'Double', fields: [] })).toThrow(/no structure/u);
    expect(() =>
      space.addStructureType({
        name: 'Bad',
        fields: [
          { name: 'a', dataType: 'Int32' },
          { name: 'a', dataType: 'Int32' },
        ],
      }),
    ).toThrow(/one name/u);
  });
});

describe('data items', () => {
  const { space } = createFixture();
  const parent = space.addFolder({ browseName: 'Items' });
  const property = (node: { child(name: string): unknown }, name: string): ExtensionObject | undefined =>
    readNow(space, (node.child(name) as { nodeId: NodeId }).nodeId).value?.value as ExtensionObject | undefined;

  it('have ranges and units', () => {
    const node = parent.addAnalogItem({
      browseName: 'Level',
      dataType: 'Double',
      value: 50,
      euRange: { low: 0, high: 100 },
      instrumentRange: { low: -10, high: 110 },
      engineeringUnits: { displayName: '%', description: 'percent', unitId: 20529 },
    });
    expect(property(node, 'EURange')?.decode(Range)).toEqual({ low: 0, high: 100 });
    expect(property(node, 'InstrumentRange')?.decode(Range)).toEqual({ low: -10, high: 110 });
    expect(property(node, 'EngineeringUnits')?.decode(EUInformation)).toMatchObject({
      unitId: 20529,
      namespaceUri: expect.stringContaining('cefact'),
    });
    expect(space.types.typeDefinitionOf(node)?.name).toBe('AnalogItemType');
    expect(() => parent.addAnalogItem({ browseName: 'X', dataType: 'Double', value: 1, euRange: { low: 1, high: 0 } })).toThrow(
      /upside down/u,
    );
  });

  it('have the names of their states', () => {
    const node = space.addTwoStateDiscrete(parent, { browseName: 'Valve', trueState: 'open', falseState: 'closed', value: true });
    expect(property(node, 'TrueState')).toMatchObject({ text: 'open' });
    expect(node.child('FalseState')?.browseName.equals(new QualifiedName(0, 'FalseState'))).toBe(true);
  });
});
