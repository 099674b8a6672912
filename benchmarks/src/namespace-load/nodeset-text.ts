/** URI of the namespace that is loaded. */
export const NAMESPACE_URI: string = 'urn:bulkhead:benchmarks:large';
export const VARIABLES_PER_FOLDER: number = 99;

const HEAD = `<?xml version="1.0" encoding="utf-8"?>
<UANodeSet xmlns="http://opcfoundation.org/UA/2011/03/UANodeSet.xsd">
<NamespaceUris><Uri>${NAMESPACE_URI}</Uri></NamespaceUris>
`;

/** A NodeSet2 document in pieces: folders below Objects, each with 99 Double variables that have a value. */
export function* nodeSetText(folderCount: number): Generator<string, void, undefined> {
  yield HEAD;
  for (let folder = 0; folder < folderCount; folder++) yield folderText(folder);
  yield '</UANodeSet>\n';
}

function folderText(folder: number): string {
  const id = `ns=1;s=Folder${folder}`;
  const variables = Array.from({ length: VARIABLES_PER_FOLDER }, (_, variable) => variableText(id, folder, variable)).join('');
  return `<UAObject NodeId="${id}" BrowseName="1:Folder${folder}"><DisplayName>Folder ${folder}</DisplayName><References>
<Reference ReferenceType="i=35" IsForward="false">i=85</Reference><Reference ReferenceType="i=40">i=61</Reference></References></UAObject>
${variables}`;
}

function variableText(folderId: string, folder: number, variable: number): string {
  const number = folder * VARIABLES_PER_FOLDER + variable;
  return `<UAVariable NodeId="ns=1;s=Folder${folder}.V${variable}" BrowseName="1:V${variable}" DataType="i=11" AccessLevel="3">
<DisplayName>V${variable}</DisplayName><References><Reference ReferenceType="i=35" IsForward="false">${folderId}</Reference>
<Reference ReferenceType="i=40">i=63</Reference></References><Value><Double xmlns="http://opcfoundation.org/UA/2008/02/Types.xsd">${number}</Double></Value></UAVariable>
`;
}
