import { AttributeIds as Attributes, VariableIds as Ids, NodeId, TimestampsToReturn } from '@bulkhead/types';
import { AttributeIds, type ClientSession, type DataValue, NodeClass, StatusCodes, VariableIds } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { browseAll, type SeenSpace } from '../support/browse-all.ts';
import { encrypted, ForeignClients, putCertificate, userNamed } from '../support/foreign-clients.ts';
import { publish, subscribe } from '../support/publishing.ts';
import { POLICIES, type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';
import { administrator, validateUser } from '../support/users.ts';

const SERVER = 'ns=0;i=2253';
const SUMMARY = `ns=0;i=${VariableIds.Server_ServerDiagnostics_ServerDiagnosticsSummary}`;
const NODES_PER_READ = 100;
const SHUTDOWN_STATE = 4;
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;
let seen: SeenSpace;

beforeAll(async () => {
  server = await startReferenceTestServer({ security: { policies: POLICIES, allowAnonymous: true, validateUser } });
  clients = await ForeignClients.create();
  putCertificate(clients.certificate, trustedFolder(server));
  session = await clients.session(server.endpointUrl, encrypted, administrator);
  seen = await browseAll(session, 1000);
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

/** What can be reached from Server by forward hierarchical references, with the names on the way; types are left out. */
function belowServer(): ReadonlyMap<string, string> {
  const hierarchical = new Set(['i=33', 'i=34', 'i=35', 'i=44', 'i=46', 'i=47', 'i=49', 'i=17604', 'i=16361'].map((id) => `ns=0;${id}`));
  const paths = new Map([[SERVER, 'Server']]);
  for (const [nodeId, path] of paths) {
    for (const reference of seen.nodes.get(nodeId)?.references ?? []) {
      const target = reference.nodeId.toString();
      if (!reference.isForward || !hierarchical.has(reference.referenceTypeId.toString()) || paths.has(target)) continue;
      if (reference.nodeClass & (NodeClass.Object | NodeClass.Variable | NodeClass.Method)) {
        paths.set(target, `${path}/${reference.browseName.name}`);
      }
    }
  }
  return paths;
}

function ofClass(nodeClass: NodeClass): [nodeId: string, path: string][] {
  return [...belowServer()].filter(([nodeId]) => seen.nodes.get(nodeId)?.nodeClass === nodeClass);
}

async function readAll(nodeIds: readonly string[], attributeId = AttributeIds.Value, as = session): Promise<DataValue[]> {
  const values: DataValue[] = [];
  for (let i = 0; i < nodeIds.length; i += NODES_PER_READ) {
    values.push(...(await as.read(nodeIds.slice(i, i + NODES_PER_READ).map((nodeId) => ({ nodeId, attributeId })))));
  }
  return values;
}

async function readOne(id: VariableIds): Promise<unknown> {
  const [value] = await readAll([`ns=0;i=${id}`]);
  expect(value?.statusCode, VariableIds[id]).toEqual(StatusCodes.Good);
  return value?.value.value;
}

describe('the Server object', () => {
  it('has a good value for every Variable below it', async () => {
    const variables = ofClass(NodeClass.Variable);
    expect(variables.length).toBeGreaterThan(80);
    const values = await readAll(variables.map(([nodeId]) => nodeId));
    const bad = values.flatMap(({ statusCode }, i) =>
      statusCode.equals(StatusCodes.Good) ? [] : [`${variables[i]?.[1]} ${statusCode.name}`],
    );
    expect(bad).toEqual([]);
  });

  it('has values of the DataTypes and ValueRanks that its Variables tell', async () => {
    const nodeIds = ofClass(NodeClass.Variable).map(([nodeId]) => nodeId);
    const ranks = await readAll(nodeIds, AttributeIds.ValueRank);
    for (const [i, { value }] of (await readAll(nodeIds)).entries()) {
      expect(Array.isArray(value.value) || ArrayBuffer.isView(value.value), nodeIds[i]).toBe(ranks[i]?.value.value === 1);
    }
  });

  it('lets nobody write to it, not even an administrator', async () => {
    const levels = await readAll(
      ofClass(NodeClass.Variable).map(([nodeId]) => nodeId),
      AttributeIds.AccessLevel,
    );
    expect(new Set(levels.map(({ value }) => value.value))).toEqual(new Set([1]));
  });

  it('has executable Methods only where they do something', async () => {
    const methods = ofClass(NodeClass.Method);
    const executable = await readAll(
      methods.map(([nodeId]) => nodeId),
      AttributeIds.Executable,
    );
    expect(Object.fromEntries(methods.map(([, path], i) => [path, executable[i]?.value.value]))).toEqual({
      'Server/GetMonitoredItems': true,
      'Server/ResendData': true,
      'Server/ServerCapabilities/RoleSet/AddRole': false,
      'Server/ServerCapabilities/RoleSet/RemoveRole': false,
      'Server/VendorServerInfo/Isolation/GetOwnRefusals': true,
    });
  });

  it('has nothing of what the server doesn’t support', () => {
    const names = new Set(Array.from(belowServer().values(), (path) => path.split('/').at(-1)));
    for (const name of [
      'HistoryServerCapabilities',
      'PublishSubscribe',
      'ServerConfiguration',
      'ServerLog',
      'UrisVersion',
      'AddIdentity',
    ]) {
      expect(names).not.toContain(name);
    }
  });

  it('tells which rule gives a Role, and that the host gives all others', async () => {
    const roles = [...belowServer()].filter(([, path]) => /RoleSet\/\w+\/Identities$/u.test(path));
    const values = await readAll(roles.map(([nodeId]) => nodeId));
    const rules = roles.map(([, path], i) => [
      path.split('/').at(-2),
      ((values[i]?.value.value ?? []) as { criteriaType: number }[]).map((rule) => rule.criteriaType),
    ]);
    expect(Object.fromEntries(rules)).toMatchObject({ Anonymous: [5], AuthenticatedUser: [6], Operator: [], SecurityAdmin: [] });
    const custom = [...belowServer()].filter(([, path]) => path.endsWith('/CustomConfiguration'));
    expect(custom.length).toBeGreaterThan(5);
    for (const { value } of await readAll(custom.map(([nodeId]) => nodeId))) expect(value.value).toBe(true);
  });

  it('describes both of the server’s own namespaces', async () => {
    const uris = [...belowServer()].filter(([, path]) => path.endsWith('/NamespaceUri'));
    const values = await readAll(uris.map(([nodeId]) => nodeId));
    expect(values.map(({ value }) => value.value)).toEqual(['http://opcfoundation.org/UA/', server.server.options.applicationUri]);
    expect(await readOne(VariableIds.OPCUANamespaceMetadata_NamespaceVersion)).toMatch(/^1\.05\./u);
    expect(await readOne(VariableIds.OPCUANamespaceMetadata_IsNamespaceSubset)).toBe(true);
  });

  it('tells the host’s time zone', async () => {
    const zone = (await readOne(VariableIds.Server_LocalTime)) as { offset: number };
    expect(zone.offset + new Date().getTimezoneOffset()).toBe(0);
  });

  it('keeps who is behind a Session from those who mustn’t know', async () => {
    const id = VariableIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionSecurityDiagnosticsArray;
    const known = (await readOne(id)) as { clientUserIdOfSession: string; clientCertificate: Buffer }[];
    expect(known).toMatchObject([{ clientUserIdOfSession: 'administrator', authenticationMechanism: 'UserName' }]);
    expect(known[0]?.clientCertificate.equals(clients.certificate.der)).toBe(true);
    const stranger = await clients.session(server.endpointUrl);
    const [value] = await readAll([`ns=0;i=${id}`], AttributeIds.Value, stranger);
    expect(value?.statusCode.name).toMatch(/^Bad(?:UserAccessDenied|SecurityModeInsufficient)$/u);
    await stranger.close();
  });
});

describe('the diagnostics of a server that is used', () => {
  async function summary(): Promise<Record<string, number>> {
    const { value } = await session.read({ nodeId: SUMMARY, attributeId: AttributeIds.Value });
    return { ...value.value };
  }

  it('count a refused log-in as a Session and as a request that were rejected for security', async () => {
    const before = await summary();
    const wrong = userNamed('operator', 'wrong');
    await expect(clients.session(server.endpointUrl, encrypted, wrong)).rejects.toThrow('BadUserAccessDenied');
    const after = await summary();
    for (const name of ['securityRejectedSessionCount', 'rejectedSessionCount', 'securityRejectedRequestsCount', 'rejectedRequestsCount']) {
      expect((after[name] ?? 0) - (before[name] ?? 0), name).toBe(1);
    }
  });

  it('count the reads and the Subscriptions of a Session', async () => {
    const own = await clients.session(server.endpointUrl, encrypted);
    await readAll([SERVER, SERVER, SERVER], AttributeIds.BrowseName, own);
    await expect(publish(own)).rejects.toThrow('BadNoSubscription');
    await subscribe(own);
    const id = VariableIds.Server_ServerDiagnostics_SessionsDiagnosticsSummary_SessionDiagnosticsArray;
    await vi.waitFor(
      async () => {
        const all = (await readOne(id)) as { sessionId: unknown; readCount: { totalCount: number } }[];
        const mine = all.find(({ sessionId }) => String(sessionId) === own.sessionId.toString());
        expect(mine).toMatchObject({
          currentSubscriptionsCount: 1,
          createSubscriptionCount: { totalCount: 1, errorCount: 0 },
          publishCount: { totalCount: 1, errorCount: 1 },
        });
        expect(mine?.readCount.totalCount).toBeGreaterThanOrEqual(1);
      },
      { timeout: 5000 },
    );
    await own.close(true);
  });
});

describe('a server that stops', () => {
  it('says so in its status', async () => {
    const stopping = await startReferenceTestServer();
    const { space } = stopping.server;
    const read = async (id: number): Promise<unknown> => {
      const item = {
        nodeId: NodeId.numeric(0, id),
        attributeId: Attributes.Value,
        indexRange: null,
        dataEncoding: { namespaceIndex: 0, name: null },
      };
      return (await space.readAttribute(undefined, item as never, TimestampsToReturn.Neither, 0)).value?.value;
    };
    expect(await read(Ids.Server_ServerStatus_State)).toBe(0);
    const stopped = stopping.server.stop();
    expect(await read(Ids.Server_ServerStatus_State)).toBe(SHUTDOWN_STATE);
    expect(await read(Ids.Server_ServerStatus_SecondsTillShutdown)).toBe(0);
    expect(await read(Ids.Server_ServerStatus_ShutdownReason)).toMatchObject({ text: 'The server was stopped.' });
    await stopped;
    await stopping.end();
  });
});
