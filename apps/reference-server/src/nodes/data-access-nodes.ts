import type { ObjectNode, VariableNode } from '@bulkhead/address-space';
import { LocalizedText, QualifiedName } from '@bulkhead/types';

/** A unit of UNECE Recommendation 20. */
interface Unit {
  readonly code: string;
  readonly symbol: string;
  readonly description: string;
}

interface AnalogItem {
  readonly name: string;
  readonly dataType: string;
  readonly value: unknown;
  readonly range: readonly [low: number, high: number];
  readonly unit: Unit;
  readonly writable: boolean;
}

const celsius: Unit = { code: 'CEL', symbol: '°C', description: 'degree Celsius' };
const bar: Unit = { code: 'BAR', symbol: 'bar', description: 'bar' };
const cubicMetrePerHour: Unit = { code: 'MQH', symbol: 'm³/h', description: 'cubic metre per hour' };

const analogItems: readonly AnalogItem[] = [
  { name: 'Temperature', dataType: 'Double', value: 21.5, range: [-40, 125], unit: celsius, writable: true },
  { name: 'Pressure', dataType: 'Float', value: 1.25, range: [0, 16], unit: bar, writable: false },
  { name: 'Flow', dataType: 'Int32', value: 1200, range: [0, 5000], unit: cubicMetrePerHour, writable: true },
  { name: 'Setpoint', dataType: 'UInt16', value: 180, range: [0, 250], unit: celsius, writable: true },
  { name: 'Profile', dataType: 'Double', value: [18.5, 19, 19.75, 21], range: [-40, 125], unit: celsius, writable: true },
];

const gears = ['Reverse', 'Neutral', 'Ahead slow', 'Ahead full'];
/** Numbers with gaps, which only a MultiStateValueDiscrete may have. */
const valves: readonly (readonly [value: number, name: string])[] = [
  [0, 'Closed'],
  [10, 'Opening'],
  [20, 'Open'],
  [99, 'Stuck'],
];

/** Items of OPC 10000-8: analog ones with range and unit, and discrete ones with names for their states. */
export function addDataAccessNodes(parent: ObjectNode): void {
  const analog = parent.addFolder({ browseName: 'Analog', nodeId: 's=Analog' });
  for (const item of analogItems) addAnalogItem(analog, item);
  const discrete = parent.addFolder({ browseName: 'Discrete', nodeId: 's=Discrete' });
  addTwoState(discrete);
  addMultiState(discrete);
  addMultiStateValue(discrete);
}

function addAnalogItem(parent: ObjectNode, { name, dataType, value, range: [low, high], unit, writable }: AnalogItem): void {
  const item = parent.addVariable({
    browseName: name,
    nodeId: `s=Analog.${name}`,
    typeDefinition: 'AnalogItemType',
    dataType,
    value,
    writable,
  });
  addStandardProperty(item, 'EURange', 'Range', { low, high });
  addStandardProperty(item, 'EngineeringUnits', 'EUInformation', {
    namespaceUri: 'http://www.opcfoundation.org/UA/units/un/cefact',
    unitId: unitId(unit.code),
    displayName: new LocalizedText(unit.symbol),
    description: new LocalizedText(unit.description, 'en'),
  });
}

/** The code's characters as the bytes of a number. OPC 10000-8 §5.6.4.3. */
function unitId(code: string): number {
  return Buffer.from(code, 'latin1').reduce((id, byte) => id * 256 + byte, 0);
}

function addTwoState(parent: ObjectNode): void {
  const item = parent.addVariable({
    browseName: 'TwoState',
    nodeId: 's=Discrete.TwoState',
    typeDefinition: 'TwoStateDiscreteType',
    dataType: 'Boolean',
    value: true,
    writable: true,
  });
  addStandardProperty(item, 'TrueState', 'LocalizedText', new LocalizedText('Open', 'en'));
  addStandardProperty(item, 'FalseState', 'LocalizedText', new LocalizedText('Closed', 'en'));
}

function addMultiState(parent: ObjectNode): void {
  const item = parent.addVariable({
    browseName: 'MultiState',
    nodeId: 's=Discrete.MultiState',
    typeDefinition: 'MultiStateDiscreteType',
    dataType: 'UInt32',
    value: 1,
    writable: true,
  });
  addStandardProperty(
    item,
    'EnumStrings',
    'LocalizedText',
    gears.map((gear) => new LocalizedText(gear, 'en')),
  );
}

function addMultiStateValue(parent: ObjectNode): void {
  const names = new Map(valves.map(([value, name]) => [value, new LocalizedText(name, 'en')]));
  const item = parent.addVariable({
    browseName: 'MultiStateValue',
    nodeId: 's=Discrete.MultiStateValue',
    typeDefinition: 'MultiStateValueDiscreteType',
    dataType: 'Int32',
    value: 20,
    // Only values of EnumValues get here.
    write: (value) => valueAsText.setValue(names.get(value as number)),
  });
  addStandardProperty(
    item,
    'EnumValues',
    'EnumValueType',
    valves.map(([value, name]) => ({ value: BigInt(value), displayName: new LocalizedText(name, 'en') })),
  );
  const valueAsText = addStandardProperty(item, 'ValueAsText', 'LocalizedText', names.get(20));
}

/** The types' own Properties have names of namespace 0. */
function addStandardProperty(item: VariableNode, name: string, dataType: string, value: unknown): VariableNode {
  return item.addProperty({ browseName: new QualifiedName(0, name), nodeId: `${item.nodeId.toString()}.${name}`, dataType, value });
}
