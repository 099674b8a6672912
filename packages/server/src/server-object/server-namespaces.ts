import type { Namespace, Node, PropertyOptions } from '@bulkhead/address-space';
import { DateTime, NodeId, ObjectIds, QualifiedName, VariableIds } from '@bulkhead/types';
import type { ServerParts } from '../wiring.ts';
import type { StandardNodes } from './standard-nodes.ts';

/** NodeIds of the metadata of the server's own namespace start so. */
const OWN_METADATA = 's=Server.Namespaces.Own';
const ONE_DIMENSION = 1;

/**
 * Metadata of namespace 0, of which the NodeSet brings most, and of the server's own namespace. Other namespaces come with
 * their own in their NodeSets. OPC 10000-5 §6.3.13.
 */
export function bindServerNamespaces(nodes: StandardNodes, { space }: ServerParts): void {
  const { core, own } = space.namespaces;
  // What the server doesn't support is not there.
  nodes.set(VariableIds.OPCUANamespaceMetadata_IsNamespaceSubset, true);
  nodes.bind(VariableIds.OPCUANamespaceMetadata_DefaultAccessRestrictions, () => core.defaultAccessRestrictions);
  const parent = space.getNode(NodeId.numeric(0, ObjectIds.Server_Namespaces));
  if (parent !== undefined) addMetadata(parent, own);
}

/** Its nodes are made at run time, so there is neither a version nor a range of static NodeIds. */
function addMetadata(parent: Node, namespace: Namespace): void {
  const metadata = parent.addObject({ browseName: namespace.uri, nodeId: OWN_METADATA, typeDefinition: 'NamespaceMetadataType' });
  const add = (name: string, options: Omit<PropertyOptions, 'browseName' | 'nodeId'>): void => {
    metadata.addProperty({ ...options, browseName: new QualifiedName(0, name), nodeId: `${OWN_METADATA}.${name}` });
  };
  add('NamespaceUri', { dataType: 'String', value: namespace.uri });
  add('NamespaceVersion', { dataType: 'String', value: '' });
  add('NamespacePublicationDate', { dataType: 'DateTime', value: DateTime.MIN });
  add('IsNamespaceSubset', { dataType: 'Boolean', value: false });
  add('StaticNodeIdTypes', { dataType: 'IdType', valueRank: ONE_DIMENSION, value: [] });
  add('StaticNumericNodeIdRange', { dataType: 'NumericRange', valueRank: ONE_DIMENSION, value: [] });
  add('StaticStringNodeIdPattern', { dataType: 'String', value: '' });
  add('DefaultAccessRestrictions', { dataType: 'AccessRestrictionType', read: () => namespace.defaultAccessRestrictions });
}
