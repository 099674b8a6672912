import { BuiltInType, EnumValueType, type ExtensionObject, type Variant } from '@bulkhead/types';
import type { StructureTypes } from './structure-types.ts';
import type { DataTypeNode } from './type-nodes.ts';
import type { TypeTree } from './type-tree.ts';
import type { VariableNode } from './variable-node.ts';

const MULTI_STATE_DISCRETE_TYPE = 2376;
const MULTI_STATE_VALUE_DISCRETE_TYPE = 11238;

/** Checks values against what a node names as possible: an enumeration's values, the states of a multi-state item. */
export class ValueBounds {
  readonly #types: TypeTree;
  readonly #structures: StructureTypes;
  readonly #enumerations = new WeakMap<DataTypeNode, ReadonlySet<number>>();
  readonly #stored: (node: VariableNode) => Variant | undefined;

  /** @param stored the stored value of a property. */
  constructor(types: TypeTree, structures: StructureTypes, stored: (node: VariableNode) => Variant | undefined) {
    this.#types = types;
    this.#structures = structures;
    this.#stored = stored;
  }

  allows(node: VariableNode, value: Variant): boolean {
    switch (value.type) {
      case BuiltInType.SByte:
      case BuiltInType.Byte:
      case BuiltInType.Int16:
      case BuiltInType.UInt16:
      case BuiltInType.Int32:
      case BuiltInType.UInt32:
      case BuiltInType.Int64:
      case BuiltInType.UInt64:
        break;
      default:
        return true;
    }
    const allowed = this.#allowedValues(node);
    if (allowed === undefined) return true;
    const values = value.isArray ? Array.from((value.elements ?? []) as ArrayLike<number | bigint>) : [value.value as number | bigint];
    return values.every((element) => allowed.has(Number(element)));
  }

  #allowedValues(node: VariableNode): ReadonlySet<number> | undefined {
    const dataType = this.#types.dataType(node.dataType);
    const values = dataType === undefined ? undefined : this.#enumerationValues(dataType);
    if (values !== undefined) return values;
    const type = this.#types.typeDefinitionOf(node);
    if (type === undefined || type.namespace.index !== 0) return undefined;
    if (type.identifier === MULTI_STATE_DISCRETE_TYPE) return this.#states(node);
    return type.identifier === MULTI_STATE_VALUE_DISCRETE_TYPE ? this.#stateValues(node) : undefined;
  }

  #enumerationValues(dataType: DataTypeNode): ReadonlySet<number> | undefined {
    const known = this.#enumerations.get(dataType);
    if (known !== undefined) return known;
    if (!this.#types.isEnumeration(dataType.nodeId)) return undefined;
    const fields = this.#structures.enumerationOf(dataType.nodeId)?.fields;
    if (!fields || fields.length === 0) return undefined;
    const values = new Set(fields.map((field) => Number(field.value)));
    this.#enumerations.set(dataType, values);
    return values;
  }

  #states(node: VariableNode): ReadonlySet<number> | undefined {
    const texts = this.#property(node, 'EnumStrings')?.elements;
    return texts === undefined ? undefined : new Set(Array.from({ length: texts.length }, (_, i) => i));
  }

  #stateValues(node: VariableNode): ReadonlySet<number> | undefined {
    const objects = this.#property(node, 'EnumValues')?.elements as ArrayLike<ExtensionObject> | undefined;
    return objects === undefined ? undefined : new Set(Array.from(objects, (object) => Number(object.decode(EnumValueType).value)));
  }

  #property(node: VariableNode, name: string): Variant | undefined {
    const property = node.child(name, 0);
    return property === undefined ? undefined : this.#stored(property as VariableNode);
  }
}
