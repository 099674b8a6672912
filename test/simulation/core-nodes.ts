type Row = readonly [id: number, tag: string, name: string, superType?: number];

/** As much of namespace 0 as the simulated server needs: loading all of it for each seed would take most of the time. */
const rows: readonly Row[] = [
  [31, 'UAReferenceType', 'References'],
  [33, 'UAReferenceType', 'HierarchicalReferences', 31],
  [34, 'UAReferenceType', 'HasChild', 33],
  [35, 'UAReferenceType', 'Organizes', 33],
  [44, 'UAReferenceType', 'Aggregates', 34],
  [45, 'UAReferenceType', 'HasSubtype', 34],
  [46, 'UAReferenceType', 'HasProperty', 44],
  [47, 'UAReferenceType', 'HasComponent', 44],
  [32, 'UAReferenceType', 'NonHierarchicalReferences', 31],
  [40, 'UAReferenceType', 'HasTypeDefinition', 32],
  [58, 'UAObjectType', 'BaseObjectType'],
  [61, 'UAObjectType', 'FolderType', 58],
  [62, 'UAVariableType', 'BaseVariableType'],
  [63, 'UAVariableType', 'BaseDataVariableType', 62],
  [24, 'UADataType', 'BaseDataType'],
  [26, 'UADataType', 'Number', 24],
  [27, 'UADataType', 'Integer', 26],
  [6, 'UADataType', 'Int32', 27],
  [15, 'UADataType', 'ByteString', 24],
  [85, 'UAObject', 'Objects'],
];

function xmlOf([id, tag, name, superType]: Row): string {
  const reference = superType === undefined ? '' : `<Reference ReferenceType="i=45" IsForward="false">i=${superType}</Reference>`;
  const type = tag === 'UAObject' ? '<Reference ReferenceType="i=40">i=61</Reference>' : '';
  return `<${tag} NodeId="i=${id}" BrowseName="${name}"><DisplayName>${name}</DisplayName><References>${reference}${type}</References></${tag}>`;
}

/** A NodeSet2 document for `loadNodeSet`. */
export const coreNodeSet: string = `<UANodeSet xmlns="http://opcfoundation.org/UA/2011/03/UANodeSet.xsd">${rows.map(xmlOf).join('')}</UANodeSet>`;
