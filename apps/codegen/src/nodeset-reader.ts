import { booleanAttribute, childrenNamed, collectElements, requiredAttribute, type XmlElement } from './xml-elements.ts';

/** One `<Field>` of a DataType's `<Definition>`. OPC 10000-6 Annex F.12. */
export interface NodesetField {
  readonly name: string;
  /** Numeric id of the field's DataType in namespace 0; 24 (BaseDataType) when the nodeset names none. */
  readonly dataTypeId: number;
  readonly valueRank: number;
  readonly isOptional: boolean;
  readonly allowSubTypes: boolean;
  /** Value of an enumeration's member, or bit number in an OptionSet. */
  readonly value: bigint | undefined;
}

export interface NodesetDefinition {
  readonly isUnion: boolean;
  readonly isOptionSet: boolean;
  /** Own fields only; inherited ones are in the supertype's definition. */
  readonly fields: readonly NodesetField[];
}

export interface NodesetDataType {
  readonly id: number;
  /** The symbolic name where there is one, else the BrowseName. */
  readonly name: string;
  readonly isAbstract: boolean;
  readonly superTypeId: number | undefined;
  /** Address of the page in the online reference. */
  readonly documentation: string | undefined;
  readonly definition: NodesetDefinition | undefined;
}

/** The DataTypes of a UANodeSet document whose NodeIds are in namespace 0. */
export interface Nodeset {
  /** Version of the model, for example `1.05.07`. */
  readonly version: string;
  readonly dataTypes: readonly NodesetDataType[];
}

/** @throws Error when the document is not well-formed or a DataType is not a numeric id of namespace 0. */
export function readNodeset(xml: string): Nodeset {
  const elements = collectElements(xml, new Set(['Model', 'Alias', 'UADataType']));
  const aliases = new Map<string, string>();
  for (const element of elements) {
    if (element.name === 'Alias') aliases.set(requiredAttribute(element, 'Alias'), element.text);
  }
  const parseId = (text: string): number => {
    const match = /^i=(\d+)$/u.exec(aliases.get(text) ?? text);
    if (match === null) throw new Error(`not a numeric NodeId of namespace 0: ${text}`);
    return Number(match[1]);
  };
  return {
    version: elements.find((element) => element.name === 'Model')?.attributes['Version'] ?? 'unknown',
    dataTypes: elements.filter((element) => element.name === 'UADataType').map((element) => readDataType(element, parseId)),
  };
}

function readDataType(element: XmlElement, parseId: (text: string) => number): NodesetDataType {
  const definition = childrenNamed(element, 'Definition')[0];
  const superType = childrenNamed(element, 'References')
    .flatMap((references) => childrenNamed(references, 'Reference'))
    .find(
      (reference) =>
        reference.attributes['IsForward'] === 'false' && /^(?:HasSubtype|i=45)$/u.test(reference.attributes['ReferenceType'] ?? ''),
    );
  return {
    id: parseId(requiredAttribute(element, 'NodeId')),
    name: element.attributes['SymbolicName'] ?? requiredAttribute(element, 'BrowseName'),
    isAbstract: booleanAttribute(element, 'IsAbstract'),
    superTypeId: superType === undefined ? undefined : parseId(superType.text),
    documentation: childrenNamed(element, 'Documentation')[0]?.text,
    definition: definition === undefined ? undefined : readDefinition(definition, parseId),
  };
}

function readDefinition(element: XmlElement, parseId: (text: string) => number): NodesetDefinition {
  return {
    isUnion: booleanAttribute(element, 'IsUnion'),
    isOptionSet: booleanAttribute(element, 'IsOptionSet'),
    fields: childrenNamed(element, 'Field').map((field) => ({
      name: field.attributes['SymbolicName'] ?? requiredAttribute(field, 'Name'),
      dataTypeId: parseId(field.attributes['DataType'] ?? 'i=24'),
      valueRank: Number(field.attributes['ValueRank'] ?? -1),
      isOptional: booleanAttribute(field, 'IsOptional'),
      allowSubTypes: booleanAttribute(field, 'AllowSubTypes'),
      value: field.attributes['Value'] === undefined ? undefined : BigInt(field.attributes['Value']),
    })),
  };
}
