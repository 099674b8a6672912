import { type BsdSchema, readBsd } from '../src/bsd-reader.ts';
import { type Nodeset, readNodeset } from '../src/nodeset-reader.ts';
import type { NodeIdTable } from '../src/schema-model.ts';

/** A dictionary that declares these types. */
export function bsdOf(types: string): BsdSchema {
  return readBsd(`<opc:TypeDictionary xmlns:opc="http://opcfoundation.org/BinarySchema/">${types}</opc:TypeDictionary>`);
}

interface SnippetType {
  readonly id: number;
  readonly name: string;
  readonly base: number;
  readonly attributes?: string;
  readonly definition?: string;
  readonly documentation?: string;
}

const builtInBase: readonly SnippetType[] = [
  { id: 24, name: 'BaseDataType', base: 0, attributes: 'IsAbstract="true"' },
  { id: 26, name: 'Number', base: 24, attributes: 'IsAbstract="true"' },
  { id: 29, name: 'Enumeration', base: 24, attributes: 'IsAbstract="true"' },
  { id: 22, name: 'Structure', base: 24, attributes: 'IsAbstract="true"' },
  { id: 1, name: 'Boolean', base: 24 },
  { id: 3, name: 'Byte', base: 26 },
  { id: 6, name: 'Int32', base: 26 },
  { id: 11, name: 'Double', base: 26 },
  { id: 12, name: 'String', base: 24 },
  { id: 17, name: 'NodeId', base: 24 },
  { id: 12756, name: 'Union', base: 22, attributes: 'IsAbstract="true"' },
  { id: 290, name: 'Duration', base: 11 },
];

/** A nodeset with a few of the standard base types and these ones. */
export function nodesetOf(types: readonly SnippetType[]): Nodeset {
  const dataTypes = [...builtInBase, ...types].map(({ id, name, base, attributes = '', definition = '', documentation }) => {
    const superType = base === 0 ? '' : `<Reference ReferenceType="HasSubtype" IsForward="false">i=${base}</Reference>`;
    const page = documentation === undefined ? '' : `<Documentation>${documentation}</Documentation>`;
    return `<UADataType NodeId="i=${id}" BrowseName="${name}" ${attributes}>${page}<References>${superType}</References>${definition}</UADataType>`;
  });
  return readNodeset(
    `<UANodeSet><Models><Model Version="9.9"/></Models><Aliases><Alias Alias="Double">i=11</Alias></Aliases>${dataTypes.join('')}</UANodeSet>`,
  );
}

/** Ids 1000, 1001 … for the DataTypes of these names and 2000, 2001 … for their encodings. */
export function idsOf(...names: readonly string[]): NodeIdTable {
  const none = new Map<string, number>();
  return {
    objectIds: new Map(names.map((name, index) => [`${name}_Encoding_DefaultBinary`, 2000 + index])),
    objectTypeIds: none,
    variableIds: none,
    variableTypeIds: none,
    dataTypeIds: new Map(names.map((name, index) => [name, 1000 + index])),
    referenceTypeIds: none,
    methodIds: none,
  };
}
