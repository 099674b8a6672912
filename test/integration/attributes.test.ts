import { AttributeIds, type ClientSession, DataType, type DataValue, NodeClass, StatusCodes, VariableIds } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseAll, type SeenSpace } from '../support/browse-all.ts';
import { encrypted, ForeignClients, putCertificate } from '../support/foreign-clients.ts';
import { POLICIES, type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';
import { administrator, validateUser } from '../support/users.ts';

const SAMPLE_SIZE = 500;
const NODES_PER_READ = 50;
const MAX_NODES_PER_READ = 2000;
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;
let seen: SeenSpace;

beforeAll(async () => {
  server = await startReferenceTestServer({
    security: { policies: POLICIES, allowAnonymous: true, validateUser },
    operationLimits: { maxNodesPerRead: MAX_NODES_PER_READ },
  });
  clients = await ForeignClients.create();
  putCertificate(clients.certificate, trustedFolder(server));
  session = await clients.session(server.endpointUrl, encrypted, administrator);
  seen = await browseAll(session, 1000);
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

/** Attributes that every node of a class has, and those that it may have. OPC 10000-3 §5. */
interface Rules {
  readonly mandatory: readonly (keyof typeof AttributeIds)[];
  readonly optional: readonly (keyof typeof AttributeIds)[];
}

const base: Rules = {
  mandatory: ['NodeId', 'NodeClass', 'BrowseName', 'DisplayName'],
  optional: ['Description', 'WriteMask', 'UserWriteMask', 'RolePermissions', 'UserRolePermissions', 'AccessRestrictions'],
};

const rules: Readonly<Partial<Record<NodeClass, Rules>>> = {
  [NodeClass.Object]: { mandatory: ['EventNotifier'], optional: [] },
  [NodeClass.Variable]: {
    mandatory: ['Value', 'DataType', 'ValueRank', 'AccessLevel', 'UserAccessLevel', 'Historizing'],
    optional: ['ArrayDimensions', 'MinimumSamplingInterval', 'AccessLevelEx'],
  },
  [NodeClass.Method]: { mandatory: ['Executable', 'UserExecutable'], optional: [] },
  [NodeClass.ObjectType]: { mandatory: ['IsAbstract'], optional: [] },
  [NodeClass.VariableType]: { mandatory: ['DataType', 'ValueRank', 'IsAbstract'], optional: ['Value', 'ArrayDimensions'] },
  [NodeClass.ReferenceType]: { mandatory: ['IsAbstract', 'Symmetric'], optional: ['InverseName'] },
  [NodeClass.DataType]: { mandatory: ['IsAbstract'], optional: ['DataTypeDefinition'] },
  [NodeClass.View]: { mandatory: ['ContainsNoLoops', 'EventNotifier'], optional: [] },
};

/** What each attribute's value is; Value can be anything. */
const types: Readonly<Partial<Record<keyof typeof AttributeIds, DataType>>> = {
  NodeId: DataType.NodeId,
  NodeClass: DataType.Int32,
  BrowseName: DataType.QualifiedName,
  DisplayName: DataType.LocalizedText,
  Description: DataType.LocalizedText,
  WriteMask: DataType.UInt32,
  UserWriteMask: DataType.UInt32,
  IsAbstract: DataType.Boolean,
  Symmetric: DataType.Boolean,
  InverseName: DataType.LocalizedText,
  ContainsNoLoops: DataType.Boolean,
  EventNotifier: DataType.Byte,
  DataType: DataType.NodeId,
  ValueRank: DataType.Int32,
  ArrayDimensions: DataType.UInt32,
  AccessLevel: DataType.Byte,
  UserAccessLevel: DataType.Byte,
  MinimumSamplingInterval: DataType.Double,
  Historizing: DataType.Boolean,
  Executable: DataType.Boolean,
  UserExecutable: DataType.Boolean,
  DataTypeDefinition: DataType.ExtensionObject,
  RolePermissions: DataType.ExtensionObject,
  UserRolePermissions: DataType.ExtensionObject,
  AccessRestrictions: DataType.UInt16,
  AccessLevelEx: DataType.UInt32,
};

const FIRST_ATTRIBUTE = AttributeIds.NodeId;
const LAST_ATTRIBUTE = AttributeIds.AccessLevelEx;
const attributes = Array.from({ length: LAST_ATTRIBUTE - FIRST_ATTRIBUTE + 1 }, (_, i) => (FIRST_ATTRIBUTE + i) as AttributeIds);

function check(nodeId: string, nodeClass: NodeClass, attributeId: AttributeIds, value: DataValue): void {
  const name = AttributeIds[attributeId] as keyof typeof AttributeIds;
  const { mandatory = [], optional = [] } = rules[nodeClass] ?? {};
  const where = `${name} of ${nodeId}: ${value.statusCode.name}`;
  const isMissing = value.statusCode.equals(StatusCodes.BadAttributeIdInvalid);
  if ([...base.mandatory, ...mandatory].includes(name)) expect(isMissing, where).toBe(false);
  else if (![...base.optional, ...optional].includes(name)) expect(isMissing, where).toBe(true);
  if (isMissing || name === 'Value') return;
  expect(value.statusCode, where).toEqual(StatusCodes.Good);
  expect(value.value.dataType, where).toBe(types[name]);
}

function plain(value: unknown): unknown {
  return ArrayBuffer.isView(value) || Array.isArray(value) ? Array.from(value as ArrayLike<unknown>) : value;
}

describe('the attributes of nodes, read by a foreign client', () => {
  it('are exactly those that the NodeClass has, each of its own type', async () => {
    const all = [...seen.nodes];
    const step = Math.floor(all.length / SAMPLE_SIZE);
    // And of every class some: there are few views and reference types.
    const rare = all.filter(([, { nodeClass }]) => nodeClass === NodeClass.View || nodeClass === NodeClass.ReferenceType);
    const sample = [...all.filter((_, i) => i % step === 0), ...rare.slice(0, 50)];
    expect(sample.length).toBeGreaterThanOrEqual(SAMPLE_SIZE);
    for (let i = 0; i < sample.length; i += NODES_PER_READ) {
      const batch = sample.slice(i, i + NODES_PER_READ);
      const values = await session.read(batch.flatMap(([nodeId]) => attributes.map((attributeId) => ({ nodeId, attributeId }))));
      for (const [j, value] of values.entries()) {
        const [nodeId, { nodeClass }] = batch[Math.floor(j / attributes.length)] as (typeof batch)[number];
        check(nodeId, nodeClass, attributes[j % attributes.length] as AttributeIds, value);
      }
    }
  });

  it('tell of the Server object what it is doing and what it allows', async () => {
    const expected = new Map<VariableIds, unknown>([
      [VariableIds.Server_ServerStatus_State, 0],
      [VariableIds.Server_ServiceLevel, 255],
      [VariableIds.Server_ServerArray, [server.server.options.applicationUri]],
      [
        VariableIds.Server_NamespaceArray,
        ['http://opcfoundation.org/UA/', server.server.options.applicationUri, 'urn:bulkhead:reference-server'],
      ],
      [VariableIds.Server_ServerCapabilities_MaxSessions, server.server.options.maxSessionCount],
      [VariableIds.Server_ServerCapabilities_OperationLimits_MaxNodesPerRead, MAX_NODES_PER_READ],
    ]);
    const nodeIds = [...expected.keys()].map((id) => `ns=0;i=${id}`);
    const values = await session.read(nodeIds.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value })));
    for (const [i, value] of [...expected.values()].entries()) expect(plain(values[i]?.value.value), nodeIds[i]).toEqual(value);
    const tooMany = Array.from({ length: MAX_NODES_PER_READ + 1 }, () => ({ nodeId: 'ns=0;i=2258', attributeId: AttributeIds.Value }));
    await expect(session.read(tooMany)).rejects.toThrow('BadTooManyOperations');
    expect(await session.read(tooMany.slice(1))).toHaveLength(MAX_NODES_PER_READ);
  });

  it('tell the time of the server', async () => {
    const { statusCode, value } = await session.read({
      nodeId: `ns=0;i=${VariableIds.Server_ServerStatus}`,
      attributeId: AttributeIds.Value,
    });
    expect(statusCode).toEqual(StatusCodes.Good);
    const { currentTime, startTime, buildInfo } = value.value;
    expect(Math.abs(Date.now() - currentTime.getTime())).toBeLessThan(5000);
    expect(startTime.getTime()).toBeLessThan(currentTime.getTime());
    expect(buildInfo.productName).toBe('Test');
  });

  it('are refused one by one when the attribute or the node is unknown', async () => {
    const [unknownAttribute, unknownNode, noNode] = await session.read([
      { nodeId: 'ns=2;s=Bench.Writable', attributeId: AttributeIds.Executable },
      { nodeId: 'ns=2;s=Nothing', attributeId: AttributeIds.Value },
      { nodeId: 'ns=99;i=1', attributeId: AttributeIds.NodeClass },
    ]);
    expect(unknownAttribute?.statusCode).toEqual(StatusCodes.BadAttributeIdInvalid);
    expect(unknownNode?.statusCode).toEqual(StatusCodes.BadNodeIdUnknown);
    expect(noNode?.statusCode).toEqual(StatusCodes.BadNodeIdUnknown);
  });
});
