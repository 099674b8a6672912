import { booleanAttribute, childrenNamed, collectElements, requiredAttribute, type XmlElement } from './xml-elements.ts';

/** One `<opc:Field>` as it stands in the dictionary. OPC 10000-5 Annex D. */
export interface BsdField {
  readonly name: string;
  /** With its prefix, for example `opc:Int32` or `tns:ReadValueId`. */
  readonly typeName: string;
  /** Bits of an `opc:Bit` field. */
  readonly length: number;
  readonly lengthField: string | undefined;
  readonly switchField: string | undefined;
  readonly switchValue: number | undefined;
}

export interface BsdStructuredType {
  readonly name: string;
  /** Inherited fields first. */
  readonly fields: readonly BsdField[];
}

export interface BsdEnumeratedType {
  readonly name: string;
  readonly lengthInBits: number;
  readonly isOptionSet: boolean;
  readonly members: readonly { readonly name: string; readonly value: bigint }[];
}

/** What a binary schema dictionary (OPC 10000-5 Annex D) declares. */
export interface BsdSchema {
  readonly structuredTypes: readonly BsdStructuredType[];
  readonly enumeratedTypes: readonly BsdEnumeratedType[];
}

/** @throws Error when the dictionary is not well-formed or lacks a required attribute. */
export function readBsd(xml: string): BsdSchema {
  const elements = collectElements(xml, new Set(['StructuredType', 'EnumeratedType']));
  return {
    structuredTypes: elements.filter((element) => element.name === 'StructuredType').map(readStructuredType),
    enumeratedTypes: elements.filter((element) => element.name === 'EnumeratedType').map(readEnumeratedType),
  };
}

function readStructuredType(element: XmlElement): BsdStructuredType {
  return {
    name: requiredAttribute(element, 'Name'),
    fields: childrenNamed(element, 'Field').map(readField),
  };
}

function readField(element: XmlElement): BsdField {
  const switchValue = element.attributes['SwitchValue'];
  return {
    name: requiredAttribute(element, 'Name'),
    typeName: requiredAttribute(element, 'TypeName'),
    length: Number(element.attributes['Length'] ?? 1),
    lengthField: element.attributes['LengthField'],
    switchField: element.attributes['SwitchField'],
    switchValue: switchValue === undefined ? undefined : Number(switchValue),
  };
}

function readEnumeratedType(element: XmlElement): BsdEnumeratedType {
  return {
    name: requiredAttribute(element, 'Name'),
    lengthInBits: Number(element.attributes['LengthInBits'] ?? 32),
    isOptionSet: booleanAttribute(element, 'IsOptionSet'),
    members: childrenNamed(element, 'EnumeratedValue').map((value) => ({
      name: requiredAttribute(value, 'Name'),
      value: BigInt(requiredAttribute(value, 'Value')),
    })),
  };
}
