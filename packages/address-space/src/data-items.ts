import {
  EnumValueType,
  EUInformation,
  ExtensionObject,
  LocalizedText,
  NodeId,
  QualifiedName,
  Range,
  StatusCodes,
  UaStatusError,
  VariableTypeIds,
} from '@bulkhead/types';
import type { Node } from './node.ts';
import { type NodeBuilder, toLocalizedText } from './node-builder.ts';
import type {
  AnalogItemOptions,
  MultiStateOptions,
  MultiStateValueOptions,
  NodeReferenceOption,
  RangeOptions,
  TwoStateOptions,
  UnitOptions,
} from './node-options.ts';
import type { VariableNode } from './variable-node.ts';

/** Codes of UNECE Recommendation 20. OPC 10000-8 §5.6.3.3. */
const UNECE_UNITS = 'http://www.opcfoundation.org/UA/units/un/cefact';

/** Makes the variables of OPC 10000-8: analog items and discrete items with the names of their states. */
export class DataItems {
  readonly #builder: NodeBuilder;

  constructor(builder: NodeBuilder) {
    this.#builder = builder;
  }

  /** OPC 10000-8 §5.3.2.3. @throws UaStatusError BadOutOfRange when a range is upside down. */
  analogItem(parent: Node, options: AnalogItemOptions): VariableNode {
    const { euRange, instrumentRange, engineeringUnits, ...rest } = options;
    const range = toRange(euRange);
    const instrument = instrumentRange === undefined ? undefined : toRange(instrumentRange);
    const node = this.#variable(parent, VariableTypeIds.AnalogItemType, rest);
    this.#property(node, 'EURange', 'Range', range);
    if (instrument !== undefined) this.#property(node, 'InstrumentRange', 'Range', instrument);
    if (engineeringUnits !== undefined) this.#property(node, 'EngineeringUnits', 'EUInformation', toUnit(engineeringUnits));
    return node;
  }

  /** OPC 10000-8 §5.3.3.2. */
  twoState(parent: Node, options: TwoStateOptions): VariableNode {
    const { trueState, falseState, ...rest } = options;
    const node = this.#variable(parent, VariableTypeIds.TwoStateDiscreteType, { ...rest, dataType: 'Boolean' });
    this.#property(node, 'TrueState', 'LocalizedText', toLocalizedText(trueState));
    this.#property(node, 'FalseState', 'LocalizedText', toLocalizedText(falseState));
    return node;
  }

  /** OPC 10000-8 §5.3.3.3. */
  multiState(parent: Node, options: MultiStateOptions): VariableNode {
    const { enumStrings, dataType = 'UInt32', ...rest } = options;
    const node = this.#variable(parent, VariableTypeIds.MultiStateDiscreteType, { ...rest, dataType });
    this.#property(node, 'EnumStrings', 'LocalizedText', enumStrings.map(toLocalizedText));
    return node;
  }

  /** With the ValueAsText property, which follows the value. OPC 10000-8 §5.3.3.4. */
  multiStateValue(parent: Node, options: MultiStateValueOptions): VariableNode {
    const { enumValues, dataType = 'Int32', ...rest } = options;
    const node = this.#variable(parent, VariableTypeIds.MultiStateValueDiscreteType, { ...rest, dataType });
    const texts = new Map(enumValues.map(({ value, name, displayName }) => [value, toLocalizedText(displayName ?? name)]));
    this.#property(
      node,
      'EnumValues',
      'EnumValueType',
      enumValues.map(({ value, name, displayName, description }) =>
        ExtensionObject.of(EnumValueType, {
          value: BigInt(value),
          displayName: toLocalizedText(displayName ?? name),
          description: description === undefined ? LocalizedText.NULL : toLocalizedText(description),
        }),
      ),
    );
    this.#builder.property(node, {
      browseName: new QualifiedName(0, 'ValueAsText'),
      dataType: 'LocalizedText',
      read: () => texts.get(Number(node.dataValue.value?.value)) ?? LocalizedText.NULL,
    });
    return node;
  }

  #variable(parent: Node, typeId: number, options: Parameters<NodeBuilder['variable']>[1]): VariableNode {
    return this.#builder.variable(parent, { ...options, typeDefinition: NodeId.numeric(0, typeId) });
  }

  #property(parent: Node, name: string, dataType: NodeReferenceOption, value: unknown): void {
    this.#builder.property(parent, { browseName: new QualifiedName(0, name), dataType, value });
  }
}

function toRange({ low, high }: RangeOptions): ExtensionObject {
  if (!(low <= high)) throw new UaStatusError(StatusCodes.BadOutOfRange, `the range ${low} … ${high} is upside down`);
  return ExtensionObject.of(Range, { low, high });
}

function toUnit(unit: string | UnitOptions): ExtensionObject {
  const { displayName, description, unitId = -1, namespaceUri = UNECE_UNITS } = typeof unit === 'string' ? { displayName: unit } : unit;
  return ExtensionObject.of(EUInformation, {
    namespaceUri,
    unitId,
    displayName: toLocalizedText(displayName),
    description: toLocalizedText(description ?? displayName),
  });
}
