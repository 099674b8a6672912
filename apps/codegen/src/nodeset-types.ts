import { propertyName, typeName } from './names.ts';
import type { Nodeset, NodesetDataType, NodesetField } from './nodeset-reader.ts';
import { type BuiltInName, builtInNames, type EnumerationModel, type FieldModel, type FieldType } from './schema-model.ts';

const STRUCTURE = 22;
const BASE_DATA_TYPE = 24;
const NUMBER = 26;
const INTEGER = 27;
const UINTEGER = 28;
const ENUMERATION = 29;
const UNION = 12756;

/** Derives from the nodeset's DataTypes how values of each type are encoded. */
export class NodesetTypes {
  readonly #byId: ReadonlyMap<number, NodesetDataType>;

  constructor(nodeset: Nodeset) {
    this.#byId = new Map(nodeset.dataTypes.map((dataType) => [dataType.id, dataType]));
  }

  /** The enumeration or option set that this DataType defines, if it defines one. */
  enumeration(dataType: NodesetDataType): EnumerationModel | undefined {
    const { definition } = dataType;
    if (definition === undefined || dataType.id === ENUMERATION || this.isStructure(dataType)) return undefined;
    const kind = definition.isOptionSet ? 'optionSet' : 'enumeration';
    const members = definition.fields.map(({ name, value }) => {
      if (value === undefined) throw new Error(`${dataType.name}.${name} has no value`);
      return { name, value: kind === 'optionSet' ? 1n << value : value };
    });
    return {
      name: typeName(dataType.name),
      specName: dataType.name,
      kind,
      base: this.#builtInBase(dataType.id),
      members,
      documentation: dataType.documentation,
    };
  }

  isStructure(dataType: NodesetDataType): boolean {
    return this.#isSubtype(dataType.id, STRUCTURE);
  }

  isUnion(dataType: NodesetDataType): boolean {
    return dataType.definition?.isUnion === true || this.#isSubtype(dataType.id, UNION);
  }

  /** All fields of a structured DataType, inherited ones first. */
  fields(dataType: NodesetDataType): FieldModel[] {
    const superType = dataType.superTypeId === undefined ? undefined : this.#byId.get(dataType.superTypeId);
    const inherited = superType === undefined ? [] : this.fields(superType);
    return [...inherited, ...(dataType.definition?.fields ?? []).map((field) => this.#field(dataType, field))];
  }

  #field(owner: NodesetDataType, field: NodesetField): FieldModel {
    if (field.valueRank > 1) throw new Error(`${owner.name}.${field.name}: multi-dimensional arrays are not supported`);
    return {
      specName: field.name,
      propertyName: propertyName(field.name),
      type: this.#fieldType(field),
      isArray: field.valueRank === 1,
      isOptional: field.isOptional,
    };
  }

  /**
   * Fields whose value may be of a subtype travel in an envelope: structures in an ExtensionObject, abstract simple types
   * in a Variant. OPC 10000-6 §5.2.6.
   */
  #fieldType(field: NodesetField): FieldType {
    const id = field.dataTypeId;
    if (id === BASE_DATA_TYPE || id === NUMBER || id === INTEGER || id === UINTEGER) return { kind: 'builtIn', name: 'Variant' };
    const dataType = this.#byId.get(id);
    if (dataType === undefined) throw new Error(`unknown DataType i=${id}`);
    if (this.#isSubtype(id, STRUCTURE) && builtInNames[id - 1] === undefined) {
      if (dataType.isAbstract || field.allowSubTypes) return { kind: 'builtIn', name: 'ExtensionObject' };
      return { kind: 'structure', name: typeName(dataType.name) };
    }
    const enumeration = this.enumeration(dataType);
    if (enumeration === undefined) return { kind: 'builtIn', name: this.#builtInBase(id) };
    if (enumeration.kind === 'enumeration') return { kind: 'enumeration', name: enumeration.name };
    return { kind: 'optionSet', name: enumeration.name, base: enumeration.base };
  }

  #isSubtype(id: number, ancestorId: number): boolean {
    for (let current: number | undefined = id; current !== undefined; current = this.#byId.get(current)?.superTypeId) {
      if (current === ancestorId) return true;
    }
    return false;
  }

  #builtInBase(id: number): BuiltInName {
    for (let current: number | undefined = id; current !== undefined; current = this.#byId.get(current)?.superTypeId) {
      if (current === ENUMERATION) return 'Int32';
      if (current === STRUCTURE) return 'ExtensionObject';
      if (current === BASE_DATA_TYPE) return 'Variant';
      const name = builtInNames[current - 1];
      if (name !== undefined) return name;
    }
    throw new Error(`DataType i=${id} derives from no built-in type`);
  }
}
