import type { BsdSchema, BsdStructuredType } from './bsd-reader.ts';
import { bsdEnumeration, bsdStructure, type TypeLookup } from './bsd-types.ts';
import { typeName } from './names.ts';
import type { Nodeset, NodesetDataType } from './nodeset-reader.ts';
import { NodesetTypes } from './nodeset-types.ts';
import { builtInNames, type EnumerationModel, type NodeIdTable, type SchemaModel, type StructureModel } from './schema-model.ts';

/**
 * Names that get no generated type: the built-in types are written by hand, and the abstract `Union` and `Enumeration`
 * have no encoding of their own.
 */
const notGenerated: ReadonlySet<string> = new Set([
  ...builtInNames,
  'NodeIdType',
  'TwoByteNodeId',
  'FourByteNodeId',
  'NumericNodeId',
  'StringNodeId',
  'GuidNodeId',
  'ByteStringNodeId',
  'Enumeration',
  'Union',
]);

/**
 * Merges both sources into one model. A DataType that the nodeset defines is taken from there, as the nodeset is the newer
 * source; the dictionary adds the types of service messages, which the nodeset doesn't have. Structures without an id for
 * their binary encoding are left out: they can't be sent.
 * @throws Error when a type can't be resolved.
 */
export function buildModel(bsd: BsdSchema, nodeset: Nodeset, ids: NodeIdTable): SchemaModel {
  const types = new NodesetTypes(nodeset);
  const enumerations = mergeEnumerations(bsd, nodeset, types);
  const abstractNames = new Set(nodeset.dataTypes.filter((dataType) => dataType.isAbstract).map((dataType) => dataType.name));
  const structureNames = new Set(bsd.structuredTypes.map((type) => type.name));
  const lookup: TypeLookup = (specName) => {
    const name = typeName(specName);
    const enumeration = enumerations.get(specName);
    if (enumeration?.kind === 'enumeration') return { kind: 'enumeration', name };
    if (enumeration?.kind === 'optionSet') return { kind: 'optionSet', name, base: enumeration.base };
    if (abstractNames.has(specName)) return { kind: 'builtIn', name: 'ExtensionObject' };
    return structureNames.has(specName) ? { kind: 'structure', name } : undefined;
  };
  const structures = new Map<string, StructureModel>();
  for (const dataType of nodeset.dataTypes) {
    if (dataType.definition === undefined || notGenerated.has(dataType.name) || !types.isStructure(dataType)) continue;
    addStructure(structures, fromNodeset(dataType, types, ids));
  }
  for (const type of bsd.structuredTypes) {
    if (structures.has(type.name) || notGenerated.has(type.name)) continue;
    addStructure(structures, fromBsd(type, lookup, ids));
  }
  return { enumerations: sortByName(enumerations.values()), structures: sortByName(structures.values()) };
}

function mergeEnumerations(bsd: BsdSchema, nodeset: Nodeset, types: NodesetTypes): Map<string, EnumerationModel> {
  const merged = new Map<string, EnumerationModel>();
  for (const dataType of nodeset.dataTypes) {
    const enumeration = types.enumeration(dataType);
    if (enumeration !== undefined && !notGenerated.has(dataType.name)) merged.set(dataType.name, enumeration);
  }
  for (const type of bsd.enumeratedTypes) {
    if (!merged.has(type.name) && !notGenerated.has(type.name)) merged.set(type.name, bsdEnumeration(type));
  }
  return merged;
}

function fromNodeset(dataType: NodesetDataType, types: NodesetTypes, ids: NodeIdTable): StructureModel {
  const fields = types.fields(dataType);
  const hasOptional = fields.some((field) => field.isOptional);
  return {
    name: typeName(dataType.name),
    specName: dataType.name,
    kind: types.isUnion(dataType) ? 'union' : hasOptional ? 'optionalFields' : 'structure',
    fields,
    area: dataType.documentation?.includes('/Part14/') === true ? 'pubsub' : 'information-model',
    documentation: dataType.documentation,
    ...encodingIds(dataType.name, ids),
    dataTypeId: dataType.id,
  };
}

function fromBsd(type: BsdStructuredType, lookup: TypeLookup, ids: NodeIdTable): StructureModel {
  return {
    name: typeName(type.name),
    specName: type.name,
    ...bsdStructure(type, lookup),
    area: 'service',
    documentation: undefined,
    ...encodingIds(type.name, ids),
    dataTypeId: ids.dataTypeIds.get(type.name) ?? 0,
  };
}

function encodingIds(name: string, ids: NodeIdTable): Pick<StructureModel, 'binaryEncodingId' | 'xmlEncodingId' | 'jsonEncodingId'> {
  return {
    binaryEncodingId: ids.objectIds.get(`${name}_Encoding_DefaultBinary`) ?? 0,
    xmlEncodingId: ids.objectIds.get(`${name}_Encoding_DefaultXml`) ?? 0,
    jsonEncodingId: ids.objectIds.get(`${name}_Encoding_DefaultJson`) ?? 0,
  };
}

function addStructure(structures: Map<string, StructureModel>, structure: StructureModel): void {
  if (structure.binaryEncodingId !== 0) structures.set(structure.specName, structure);
}

/** By code unit, so that the output doesn't depend on the locale. */
function sortByName<T extends { readonly name: string }>(items: Iterable<T>): T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
}
