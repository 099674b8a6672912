import type { BsdEnumeratedType, BsdField, BsdStructuredType } from './bsd-reader.ts';
import { propertyName, typeName } from './names.ts';
import {
  type BuiltInName,
  builtInNames,
  type EnumerationModel,
  type FieldModel,
  type FieldType,
  type StructureModel,
} from './schema-model.ts';

/** Finds the type that a name of the dictionary stands for; undefined when it is unknown. */
export type TypeLookup = (name: string) => FieldType | undefined;

export interface BsdStructureShape {
  readonly kind: StructureModel['kind'];
  readonly fields: readonly FieldModel[];
}

export function bsdEnumeration(type: BsdEnumeratedType): EnumerationModel {
  return {
    name: typeName(type.name),
    specName: type.name,
    kind: type.isOptionSet ? 'optionSet' : 'enumeration',
    base: type.isOptionSet ? unsignedOf(type) : 'Int32',
    members: type.members,
    documentation: undefined,
  };
}

/**
 * Turns the dictionary's fields into those of the structure: length fields become arrays, an encoding mask of bits
 * becomes optional fields, a switch value becomes a union. OPC 10000-6 §5.2.6 to §5.2.8, OPC 10000-5 Annex D.
 * @throws Error for a layout that isn't one of those.
 */
export function bsdStructure(type: BsdStructuredType, lookup: TypeLookup): BsdStructureShape {
  const lengthFields = new Set(type.fields.map((field) => field.lengthField));
  const isUnion = type.fields.some((field) => field.switchValue !== undefined);
  const bits = type.fields.filter((field) => field.typeName === 'opc:Bit');
  checkMask(type, bits);
  const switchNames = new Set(type.fields.map((field) => field.switchField));
  const fields = type.fields.filter(
    (field) => field.typeName !== 'opc:Bit' && !lengthFields.has(field.name) && !(isUnion && switchNames.has(field.name)),
  );
  if (isUnion) checkUnion(type, fields);
  return {
    kind: isUnion ? 'union' : bits.length > 0 ? 'optionalFields' : 'structure',
    fields: fields.map((field) => ({
      specName: field.name,
      propertyName: propertyName(field.name),
      type: bsdFieldType(type, field, lookup),
      isArray: field.lengthField !== undefined,
      isOptional: !isUnion && field.switchField !== undefined,
    })),
  };
}

function bsdFieldType(owner: BsdStructuredType, field: BsdField, lookup: TypeLookup): FieldType {
  const name = field.typeName.slice(field.typeName.indexOf(':') + 1);
  if (field.typeName.startsWith('opc:') || field.typeName.startsWith('ua:')) {
    const builtIn = name === 'CharArray' ? 'String' : builtInNames.find((candidate) => candidate === name);
    if (builtIn !== undefined) return { kind: 'builtIn', name: builtIn };
  }
  const found = lookup(name);
  if (found === undefined) throw new Error(`${owner.name}.${field.name}: unknown type ${field.typeName}`);
  return found;
}

/** Optional fields are announced by 32 bits, one per optional field in order, before all fields. */
function checkMask(type: BsdStructuredType, bits: readonly BsdField[]): void {
  if (bits.length === 0) return;
  const total = bits.reduce((sum, bit) => sum + bit.length, 0);
  const optional = type.fields.flatMap((field) => (field.switchField === undefined ? [] : [field.switchField]));
  const inOrder = optional.every((name, index) => bits[index]?.name === name && bits[index].length === 1);
  if (total !== 32 || !inOrder) throw new Error(`${type.name}: the bits are no encoding mask`);
}

/** The switch values count the fields from 1. */
function checkUnion(type: BsdStructuredType, fields: readonly BsdField[]): void {
  if (!fields.every((field, index) => field.switchValue === index + 1)) throw new Error(`${type.name}: the switch values are not 1…n`);
}

function unsignedOf(type: BsdEnumeratedType): BuiltInName {
  const name = ({ 8: 'Byte', 16: 'UInt16', 32: 'UInt32', 64: 'UInt64' } as const)[type.lengthInBits];
  if (name === undefined) throw new Error(`${type.name}: ${type.lengthInBits} bits`);
  return name;
}
