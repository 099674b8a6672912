import type { AddressSpace, Namespace, Node, ObjectNode, StructureValue, VariableOptions } from '@bulkhead/address-space';
import { DateTime, type EnumDefinition, LocalizedText, NodeId, QualifiedName, StatusCodes, UaStatusError } from '@bulkhead/types';
import { dataTypesNodeSet } from './data-types-nodeset.ts';

const bow: StructureValue = { X: 120.5, Y: 0, Z: -3.25 };
const route: readonly StructureValue[] = [
  { X: 53.55, Y: 9.99, Z: 0 },
  { X: 51.95, Y: 4.14, Z: 0 },
  { X: 40.67, Y: -74.04, Z: 0 },
];
const cargoList: readonly StructureValue[] = [{ Weight: 1250.5 }, { Pieces: 42 }, { Labels: ['fragile', '', null] }, { Stowage: bow }];

const fullVessel: StructureValue = {
  Name: 'Bulkhead',
  Mode: 10,
  Position: bow,
  Route: route,
  Draught: 7.75,
  Captain: new LocalizedText('Käpt’n', 'de'),
  Holds: cargoList,
  Arrival: DateTime.parse('2026-06-01T06:30:00Z'),
};
const smallVessel: StructureValue = { Name: null, Mode: 0, Position: bow, Route: null };
const someVessel: StructureValue = { Name: '', Mode: 20, Position: bow, Route: [], Captain: LocalizedText.NULL };
const tanker: StructureValue = { ...someVessel, Name: 'Tanker', Levels: [0.25, 0.5, Number.NaN], Alarms: 0x8001 };

/** Values of the server's own types by BrowseName; each is `s=Structure.<BrowseName>`, of the DataType named. */
const variables: Readonly<Record<string, Pick<VariableOptions, 'value' | 'writable' | 'valueRank'> & { readonly dataType: string }>> = {
  Position: { dataType: 'Position', value: bow, writable: true },
  PositionReadOnly: { dataType: 'Position', value: bow },
  PositionArray: { dataType: 'Position', value: route, writable: true },
  Vessel: { dataType: 'Vessel', value: fullVessel, writable: true },
  VesselPartly: { dataType: 'Vessel', value: smallVessel, writable: true },
  Fleet: { dataType: 'Vessel', value: [fullVessel, smallVessel, someVessel], writable: true },
  Tanker: { dataType: 'Tanker', value: tanker, writable: true },
  Cargo: { dataType: 'Cargo', value: cargoList[1], writable: true },
  CargoNone: { dataType: 'Cargo', value: {}, writable: true },
  CargoList: { dataType: 'Cargo', value: cargoList, writable: true },
  Mode: { dataType: 'Mode', value: 10, writable: true },
  ModeArray: { dataType: 'Mode', value: [0, 1, 10, 20], writable: true },
  Alarms: { dataType: 'Alarms', value: 0x8001, writable: true },
};

/** Loads the server's own DataTypes, and adds variables of them and a method that takes them. */
export async function addStructureNodes(space: AddressSpace, parent: ObjectNode, methods: ObjectNode): Promise<void> {
  const { missingTargets, problems } = await space.loadNodeSet(dataTypesNodeSet);
  if (missingTargets.length > 0 || problems.length > 0) {
    throw new UaStatusError(
      StatusCodes.BadConfigurationError,
      `the reference server's DataTypes: ${problems.join('; ') || 'a reference leads nowhere'}`,
    );
  }
  const dataType = (name: string): Node => ownDataType(space, parent.namespace, name);
  addEnumValues(space, dataType('Mode'));
  addOptionSetValues(space, dataType('Alarms'));
  const folder = parent.addFolder({ browseName: 'Structures', nodeId: 's=Structure' });
  for (const [name, options] of Object.entries(variables)) {
    folder.addVariable({ browseName: name, nodeId: `s=Structure.${name}`, ...options, dataType: dataType(options.dataType) });
  }
  methods.addMethod({
    browseName: 'MoveVessel',
    nodeId: 's=Method.MoveVessel',
    inputArguments: [
      { name: 'vessel', dataType: dataType('Vessel') },
      { name: 'to', dataType: dataType('Position') },
      { name: 'mode', dataType: dataType('Mode') },
    ],
    outputArguments: [{ name: 'moved', dataType: dataType('Vessel') }],
    call: ([vessel, to, mode]) => [{ ...(vessel as StructureValue), Position: to, Mode: mode }],
  });
}

function ownDataType(space: AddressSpace, namespace: Namespace, name: string): Node {
  const node = space.getNode(NodeId.string(namespace.index, `DataType.${name}`));
  if (node === undefined) throw new UaStatusError(StatusCodes.BadNodeIdUnknown, `there is no DataType ${name}`);
  return node;
}

/** For clients that know nothing of DataTypeDefinition. OPC 10000-3 §5.8.3. */
function addEnumValues(space: AddressSpace, dataType: Node): void {
  const value = fieldsOf(space, dataType).map(({ value: number, displayName, description }) => ({
    value: number,
    displayName,
    description,
  }));
  space.addProperty(dataType, {
    browseName: new QualifiedName(0, 'EnumValues'),
    nodeId: 's=DataType.Mode.EnumValues',
    dataType: 'EnumValueType',
    value,
  });
}

/** One text per bit, empty ones for bits without a meaning. */
function addOptionSetValues(space: AddressSpace, dataType: Node): void {
  const fields = fieldsOf(space, dataType);
  const bitCount = Math.max(...fields.map(({ value }) => Number(value))) + 1;
  const value = Array.from(
    { length: bitCount },
    (_, bit) => fields.find((field) => Number(field.value) === bit)?.displayName ?? new LocalizedText(''),
  );
  space.addProperty(dataType, {
    browseName: new QualifiedName(0, 'OptionSetValues'),
    nodeId: 's=DataType.Alarms.OptionSetValues',
    dataType: 'LocalizedText',
    value,
  });
}

function fieldsOf(space: AddressSpace, dataType: Node): NonNullable<EnumDefinition['fields']> {
  return space.structures.enumerationOf(dataType.nodeId)?.fields ?? [];
}
