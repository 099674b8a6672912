import { AttributeIds, BrowseDirection, type ClientSession, NodeClass, type ReferenceDescription, StatusCodes } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseAll, type SeenSpace } from '../support/browse-all.ts';
import { encrypted, ForeignClients, putCertificate } from '../support/foreign-clients.ts';
import { POLICIES, type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';
import { administrator, validateUser } from '../support/users.ts';

const MAX_REFERENCES = 7;
const NODES_PER_READ = 500;
const ROOT = 'ns=0;i=84';
const ANONYMOUS_ROLE = 'ns=0;i=15644';
const BROWSE_PERMISSION = 1;
const ENCRYPTION_REQUIRED_TO_BROWSE = 0b1010;
let server: ReferenceTestServer;
let clients: ForeignClients;
let session: ClientSession;
let seen: SeenSpace;

beforeAll(async () => {
  server = await startReferenceTestServer({ security: { policies: POLICIES, allowAnonymous: true, validateUser } });
  clients = await ForeignClients.create();
  putCertificate(clients.certificate, trustedFolder(server));
  session = await clients.session(server.endpointUrl, encrypted, administrator);
  seen = await browseAll(session, MAX_REFERENCES);
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

/** Some attributes of every node, by node. */
async function readAll(...attributeIds: AttributeIds[]): Promise<Map<string, { isGood: boolean; value: unknown }[]>> {
  const nodeIds = [...seen.nodes.keys()];
  const all = new Map<string, { isGood: boolean; value: unknown }[]>();
  for (let i = 0; i < nodeIds.length; i += NODES_PER_READ) {
    const batch = nodeIds.slice(i, i + NODES_PER_READ);
    const values = await session.read(batch.flatMap((nodeId) => attributeIds.map((attributeId) => ({ nodeId, attributeId }))));
    for (const [position, nodeId] of batch.entries()) {
      const own = values.slice(position * attributeIds.length, (position + 1) * attributeIds.length);
      all.set(
        nodeId,
        own.map(({ statusCode, value }) => ({ isGood: statusCode.equals(StatusCodes.Good), value: value?.value })),
      );
    }
  }
  return all;
}

function edge(source: string, type: string, target: string): string {
  return `${source} ${type} ${target}`;
}

/** Nodes that can be reached from Root by forward references to nodes that fit. */
function reachable(fits: (nodeId: string) => boolean): Set<string> {
  const reached = new Set([ROOT]);
  for (const nodeId of reached) {
    for (const reference of seen.nodes.get(nodeId)?.references ?? []) {
      const target = reference.nodeId.toString();
      if (reference.isForward && fits(target)) reached.add(target);
    }
  }
  return reached;
}

describe('a foreign client that browses everything from Root, seven references at a time', () => {
  it('finds every node of the address space', () => {
    expect(seen.nodes.size).toBe(server.server.space.nodeCount);
    // The standard namespace without what the server doesn't support, and the reference server's own.
    expect(seen.nodes.size).toBeGreaterThan(6500);
    expect(seen.continuations).toBeGreaterThan(1000);
  });

  it('finds every node of the server’s own namespaces by forward references', () => {
    const reached = reachable(() => true);
    const others = [...seen.nodes.keys()].filter((nodeId) => !reached.has(nodeId));
    // Of namespace 0 the specification itself leaves some declarations without a parent.
    expect(others.filter((nodeId) => !nodeId.startsWith('ns=0;'))).toEqual([]);
    expect(others.length).toBeLessThan(100);
  });

  it('gets no reference twice', () => {
    for (const [nodeId, { references }] of seen.nodes) {
      const keys = references.map((reference: ReferenceDescription) =>
        edge(String(reference.isForward), reference.referenceTypeId.toString(), reference.nodeId.toString()),
      );
      expect(new Set(keys).size, nodeId).toBe(keys.length);
    }
  });

  it('finds behind every reference a node with the class and the name that the reference told', async () => {
    const read = await readAll(AttributeIds.NodeClass, AttributeIds.BrowseName);
    for (const [nodeId, { nodeClass, browseName }] of seen.nodes) {
      const [readClass, readName] = read.get(nodeId) ?? [];
      expect([readClass?.isGood, readClass?.value, readName?.isGood, String(readName?.value)], nodeId).toEqual([
        true,
        nodeClass,
        true,
        browseName,
      ]);
    }
  });

  it('is told the type of every object and variable, and only of those', () => {
    for (const { references } of seen.nodes.values()) {
      for (const { typeDefinition, nodeClass, nodeId } of references) {
        const isInstance = nodeClass === NodeClass.Object || nodeClass === NodeClass.Variable;
        expect(!typeDefinition.isEmpty(), nodeId.toString()).toBe(isInstance);
        if (isInstance) expect(seen.nodes.has(typeDefinition.toString()), nodeId.toString()).toBe(true);
      }
    }
  });

  it('sees every reference from both of its ends', () => {
    const forward = new Set<string>();
    const inverse = new Set<string>();
    for (const [nodeId, { references }] of seen.nodes) {
      for (const { referenceTypeId, nodeId: other, isForward } of references) {
        if (isForward) forward.add(edge(nodeId, referenceTypeId.toString(), other.toString()));
        else inverse.add(edge(other.toString(), referenceTypeId.toString(), nodeId));
      }
    }
    expect([...forward].filter((each) => !inverse.has(each))).toEqual([]);
    expect([...inverse].filter((each) => !forward.has(each))).toEqual([]);
  });

  it('sees without a name and without encryption exactly what is not hidden from it', async () => {
    const hidden = new Set<string>();
    for (const [nodeId, [permissions, restrictions]] of await readAll(AttributeIds.RolePermissions, AttributeIds.AccessRestrictions)) {
      if (permissions?.isGood && !mayBrowse(permissions.value)) hidden.add(nodeId);
      if (restrictions?.isGood && (Number(restrictions.value) & ENCRYPTION_REQUIRED_TO_BROWSE) === ENCRYPTION_REQUIRED_TO_BROWSE) {
        hidden.add(nodeId);
      }
    }
    expect(hidden).toContain('ns=2;s=Access.EncryptionRequiredToBrowse');
    expect(hidden).toContain('ns=2;s=Access.OperatorBrowses');
    const stranger = await browseAll(await clients.session(server.endpointUrl), MAX_REFERENCES);
    expect([...stranger.nodes.keys()].filter((nodeId) => hidden.has(nodeId))).toEqual([]);
    const wanted = reachable((nodeId) => !hidden.has(nodeId));
    expect([...wanted].filter((nodeId) => !stranger.nodes.has(nodeId))).toEqual([]);
  });
});

function mayBrowse(rolePermissions: unknown): boolean {
  const list = rolePermissions as { roleId: { toString(): string }; permissions: number }[];
  return list.some(({ roleId, permissions }) => roleId.toString() === ANONYMOUS_ROLE && (permissions & BROWSE_PERMISSION) !== 0);
}

describe('continuation points', () => {
  it('are good once, and only until they are given back', async () => {
    session.requestedMaxReferencesPerNode = 10;
    const [first] = await session.browse([{ nodeId: 'ns=2;s=Many', browseDirection: BrowseDirection.Forward, resultMask: 0x3f }]);
    const point = first?.continuationPoint as Buffer;
    const next = await session.browseNext(point, false);
    expect(next.references).toHaveLength(10);
    expect((await session.browseNext(point, false)).statusCode).toEqual(StatusCodes.BadContinuationPointInvalid);
    expect((await session.browseNext(next.continuationPoint as Buffer, true)).statusCode).toEqual(StatusCodes.Good);
    expect((await session.browseNext(next.continuationPoint as Buffer, false)).statusCode).toEqual(StatusCodes.BadContinuationPointInvalid);
  });
});
