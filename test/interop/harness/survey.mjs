import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addOpcUa } from '@bulkhead/opcua';
import { addReferenceNodes, referenceNodeIds } from '@bulkhead/reference-server';
import { BrowseDirection, BuiltInType, MessageSecurityMode, NodeId, ObjectIds } from '@bulkhead/types';

const ATTRIBUTE_NODE_COUNT = 500;
/** Of the main session's user. */
const MAIN_ROLES = [ObjectIds.WellKnownRole_Anonymous, ObjectIds.WellKnownRole_AuthenticatedUser, ObjectIds.WellKnownRole_Operator].map(
  (id) => NodeId.numeric(0, id),
);
const everyForwardReference = {
  browseDirection: BrowseDirection.Forward,
  referenceTypeId: NodeId.NULL,
  includeSubtypes: true,
  nodeClassMask: 0,
  resultMask: 0,
};

/**
 * What is in the reference server's address space, found without a client: the same nodes are made in this process.
 * @returns `{ nodeCount, attributeNodes, values }` of config.json.
 */
export async function surveyNodes() {
  const folder = await mkdtemp(join(tmpdir(), 'bulkhead-interop-survey-'));
  let space;
  let nodes;
  const server = await addOpcUa()
    .addServer({ applicationName: 'Survey', port: 0, pki: { folder } })
    .addNodes(async (built) => {
      space = built;
      nodes = await addReferenceNodes(built);
    })
    .start();
  try {
    const reached = reachableFrom(space, NodeId.numeric(0, ObjectIds.RootFolder));
    return { nodeCount: reached.length, attributeNodes: chooseNodes(reached), values: knownValues(space) };
  } finally {
    nodes?.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** NodeIds of all that the main session gets to see; some standard nodes are for administrators only. */
function reachableFrom(space, root) {
  const session = { identity: { roles: MAIN_ROLES }, channel: { securityMode: MessageSecurityMode.SignAndEncrypt } };
  const reached = new Map([[root.toString(), root]]);
  for (const nodeId of reached.values()) {
    const { references } = space.browse(session, { ...everyForwardReference, nodeId }, undefined, Number.POSITIVE_INFINITY);
    for (const { nodeId: target } of references) reached.set(target.nodeId.toString(), target.nodeId);
  }
  return [...reached.keys()];
}

/** Some of every NodeClass, spread evenly; callbacks that are slow or never answer are left out. */
function chooseNodes(reached) {
  const usable = reached.filter((id) => !/s=Source\.(?:Slow|Never)/u.test(id));
  const step = usable.length / ATTRIBUTE_NODE_COUNT;
  return Array.from({ length: ATTRIBUTE_NODE_COUNT }, (_, i) => usable[Math.floor(i * step)]);
}

function knownValues(space) {
  const { scalarReadOnly, arrayReadOnly, special } = referenceNodeIds;
  const known = [];
  for (const nodeId of [...scalarReadOnly, ...arrayReadOnly, ...special]) {
    // Not every JSON parser takes it.
    if (nodeId.endsWith('.LoneSurrogate')) continue;
    const { value } = space.decodeValue(space.getNode(NodeId.parse(nodeId)));
    const convert = converters[value.type];
    if (convert === undefined || value.dimensions !== undefined) continue;
    const isArray = value.isArray;
    const json = isArray ? (value.elements === null ? null : Array.from(value.elements, convert)) : convert(value.value);
    const type = Object.keys(BuiltInType).find((name) => BuiltInType[name] === value.type);
    if (JSON.stringify(json).length < 2000) known.push({ nodeId, type, ...(isArray ? { isArray } : {}), value: json });
  }
  return known;
}

const same = (value) => value;
const text = (value) => (value === null ? null : String(value));
const number = (value) => (Number.isFinite(value) ? value : String(value));
const hex = (value) => (value === null ? null : Buffer.from(value).toString('hex'));

/** Values in the form of config.json, by built-in type; ExtensionObjects and Variants have none. */
const converters = {
  [BuiltInType.Boolean]: same,
  [BuiltInType.SByte]: same,
  [BuiltInType.Byte]: same,
  [BuiltInType.Int16]: same,
  [BuiltInType.UInt16]: same,
  [BuiltInType.Int32]: same,
  [BuiltInType.UInt32]: same,
  [BuiltInType.Int64]: text,
  [BuiltInType.UInt64]: text,
  [BuiltInType.Float]: number,
  [BuiltInType.Double]: number,
  [BuiltInType.String]: same,
  [BuiltInType.DateTime]: (value) => value.toDate().toISOString(),
  [BuiltInType.Guid]: same,
  [BuiltInType.ByteString]: hex,
  [BuiltInType.NodeId]: text,
  [BuiltInType.StatusCode]: same,
  [BuiltInType.QualifiedName]: ({ namespaceIndex, name }) => ({ namespaceIndex, name }),
  // An empty part is not on the wire. OPC 10000-6 §5.2.2.14.
  [BuiltInType.LocalizedText]: ({ locale, text: words }) => ({ locale: locale || null, text: words || null }),
};
