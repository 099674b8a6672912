/**
 * The reference server's own DataTypes as a NodeSet2 document: a plain structure, one with optional fields and nested ones, a
 * subtype, a union, an enumeration with gaps, and an option set. OPC 10000-6 Annex F.
 */
export const dataTypesNodeSet: string = `<?xml version="1.0" encoding="utf-8"?>
<UANodeSet xmlns="http://opcfoundation.org/UA/2011/03/UANodeSet.xsd">
  <NamespaceUris>
    <Uri>urn:bulkhead:reference-server</Uri>
  </NamespaceUris>
  <Models>
    <Model ModelUri="urn:bulkhead:reference-server" Version="1.0.0" PublicationDate="2026-01-01T00:00:00Z">
      <RequiredModel ModelUri="http://opcfoundation.org/UA/" />
    </Model>
  </Models>
  <Aliases>
    <Alias Alias="HasSubtype">i=45</Alias>
    <Alias Alias="HasEncoding">i=38</Alias>
    <Alias Alias="HasTypeDefinition">i=40</Alias>
    <Alias Alias="Double">i=11</Alias>
    <Alias Alias="String">i=12</Alias>
    <Alias Alias="UInt32">i=7</Alias>
    <Alias Alias="LocalizedText">i=21</Alias>
    <Alias Alias="UtcTime">i=294</Alias>
    <Alias Alias="Position">ns=1;s=DataType.Position</Alias>
    <Alias Alias="Vessel">ns=1;s=DataType.Vessel</Alias>
    <Alias Alias="Cargo">ns=1;s=DataType.Cargo</Alias>
    <Alias Alias="Mode">ns=1;s=DataType.Mode</Alias>
    <Alias Alias="Alarms">ns=1;s=DataType.Alarms</Alias>
  </Aliases>

  <UADataType NodeId="ns=1;s=DataType.Position" BrowseName="1:Position">
    <DisplayName>Position</DisplayName>
    <References><Reference ReferenceType="HasSubtype" IsForward="false">i=22</Reference></References>
    <Definition Name="1:Position">
      <Field Name="X" DataType="Double" />
      <Field Name="Y" DataType="Double" />
      <Field Name="Z" DataType="Double" />
    </Definition>
  </UADataType>
  ${binaryEncoding('Position')}

  <UADataType NodeId="ns=1;s=DataType.Mode" BrowseName="1:Mode">
    <DisplayName>Mode</DisplayName>
    <References><Reference ReferenceType="HasSubtype" IsForward="false">i=29</Reference></References>
    <Definition Name="1:Mode">
      <Field Name="Idle" Value="0" />
      <Field Name="Loading" Value="1" />
      <Field Name="Underway" Value="10" />
      <Field Name="Moored" Value="20" />
    </Definition>
  </UADataType>

  <UADataType NodeId="ns=1;s=DataType.Alarms" BrowseName="1:Alarms">
    <DisplayName>Alarms</DisplayName>
    <References><Reference ReferenceType="HasSubtype" IsForward="false">i=5</Reference></References>
    <Definition Name="1:Alarms" IsOptionSet="true">
      <Field Name="Fire" Value="0" />
      <Field Name="Flooding" Value="1" />
      <Field Name="Blackout" Value="15" />
    </Definition>
  </UADataType>

  <UADataType NodeId="ns=1;s=DataType.Cargo" BrowseName="1:Cargo">
    <DisplayName>Cargo</DisplayName>
    <References><Reference ReferenceType="HasSubtype" IsForward="false">i=12756</Reference></References>
    <Definition Name="1:Cargo" IsUnion="true">
      <Field Name="Weight" DataType="Double" />
      <Field Name="Pieces" DataType="UInt32" />
      <Field Name="Labels" DataType="String" ValueRank="1" />
      <Field Name="Stowage" DataType="Position" />
    </Definition>
  </UADataType>
  ${binaryEncoding('Cargo')}

  <UADataType NodeId="ns=1;s=DataType.Vessel" BrowseName="1:Vessel">
    <DisplayName>Vessel</DisplayName>
    <References><Reference ReferenceType="HasSubtype" IsForward="false">i=22</Reference></References>
    <Definition Name="1:Vessel">
      <Field Name="Name" DataType="String" />
      <Field Name="Mode" DataType="Mode" />
      <Field Name="Position" DataType="Position" />
      <Field Name="Route" DataType="Position" ValueRank="1" />
      <Field Name="Draught" DataType="Double" IsOptional="true" />
      <Field Name="Captain" DataType="LocalizedText" IsOptional="true" />
      <Field Name="Holds" DataType="Cargo" ValueRank="1" IsOptional="true" />
      <Field Name="Arrival" DataType="UtcTime" IsOptional="true" />
    </Definition>
  </UADataType>
  ${binaryEncoding('Vessel')}

  <UADataType NodeId="ns=1;s=DataType.Tanker" BrowseName="1:Tanker">
    <DisplayName>Tanker</DisplayName>
    <References><Reference ReferenceType="HasSubtype" IsForward="false">Vessel</Reference></References>
    <Definition Name="1:Tanker" BaseType="1:Vessel">
      <Field Name="Levels" DataType="Double" ValueRank="1" />
      <Field Name="Alarms" DataType="Alarms" />
    </Definition>
  </UADataType>
  ${binaryEncoding('Tanker')}
</UANodeSet>
`;

function binaryEncoding(dataType: string): string {
  return `<UAObject NodeId="ns=1;s=DataType.${dataType}.DefaultBinary" BrowseName="Default Binary" SymbolicName="DefaultBinary">
    <DisplayName>Default Binary</DisplayName>
    <References>
      <Reference ReferenceType="HasEncoding" IsForward="false">ns=1;s=DataType.${dataType}</Reference>
      <Reference ReferenceType="HasTypeDefinition">i=76</Reference>
    </References>
  </UAObject>`;
}
