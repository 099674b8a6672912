import { ModuleSource } from './module-source.ts';

/** The Attributes in the order of their ids, which start at 1. OPC 10000-6 Annex A.1. */
const attributeNames = [
  'NodeId',
  'NodeClass',
  'BrowseName',
  'DisplayName',
  'Description',
  'WriteMask',
  'UserWriteMask',
  'IsAbstract',
  'Symmetric',
  'InverseName',
  'ContainsNoLoops',
  'EventNotifier',
  'Value',
  'DataType',
  'ValueRank',
  'ArrayDimensions',
  'AccessLevel',
  'UserAccessLevel',
  'MinimumSamplingInterval',
  'Historizing',
  'Executable',
  'UserExecutable',
  'DataTypeDefinition',
  'RolePermissions',
  'UserRolePermissions',
  'AccessRestrictions',
  'AccessLevelEx',
] as const;

export function emitAttributeIds(): ModuleSource {
  const module = new ModuleSource('attribute-ids.ts', 'OPC 10000-6 Annex A.1');
  module.add(
    '/** Ids of the Attributes of nodes. OPC 10000-6 Annex A.1. */',
    'export const AttributeIds = {',
    ...attributeNames.map((name, index) => `  ${name}: ${index + 1},`),
    '} as const;',
    'export type AttributeIds = (typeof AttributeIds)[keyof typeof AttributeIds];',
  );
  return module;
}
