import { RawUacpPeer } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  StatusCodes as BulkheadStatusCodes,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  RequestHeader,
} from '@bulkhead/types';
import { AttributeIds, type ClientSession, MessageSecurityMode, SecurityPolicy, StatusCodes, UserTokenType, VariableIds } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignClients, putCertificate, userNamed } from '../support/foreign-clients.ts';
import { POLICIES, type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';

const USER = 'käpt’n';
const PASSWORD = 'Grüße, 世界 🚢';
let server: ReferenceTestServer;
let clients: ForeignClients;

beforeAll(async () => {
  server = await startReferenceTestServer({
    security: {
      policies: POLICIES,
      allowAnonymous: true,
      validateUser: (name, password) => name === USER && password === PASSWORD,
    },
  });
  clients = await ForeignClients.create();
  putCertificate(clients.certificate, trustedFolder(server));
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

const matrix = POLICIES.flatMap((policy) =>
  (policy === 'None' ? (['None'] as const) : (['Sign', 'SignAndEncrypt'] as const)).map((mode) => ({ policy, mode })),
);
const users = [
  { title: 'anonymous', identity: undefined },
  { title: 'with name and password', identity: userNamed(USER, PASSWORD) },
];

async function expectUsable(session: ClientSession): Promise<void> {
  const { value, statusCode } = await session.read({ nodeId: VariableIds.Server_NamespaceArray, attributeId: AttributeIds.Value });
  expect(statusCode).toEqual(StatusCodes.Good);
  expect(value.value[0]).toBe('http://opcfoundation.org/UA/');
}

describe.each(matrix)('a foreign client under $policy and $mode', ({ policy, mode }) => {
  const security = { securityMode: MessageSecurityMode[mode], securityPolicy: SecurityPolicy[policy] };

  it.each(users)('gets a session $title', async ({ identity }) => {
    const session = await clients.session(server.endpointUrl, security, identity);
    await expectUsable(session);
    expect(server.server.counts.sessions).toBe(1);
    await clients.disconnect();
    expect(server.server.counts.sessions).toBe(0);
  });

  it.each([
    ['password', userNamed(USER, 'wrong')],
    ['user', userNamed('nobody', PASSWORD)],
  ])('is refused with a wrong %s, and may try again', async (_, identity) => {
    const client = await clients.connect(server.endpointUrl, security);
    await expect(client.createSession(identity)).rejects.toThrow('BadUserAccessDenied');
    await expectUsable(await client.createSession(userNamed(USER, PASSWORD)));
    await clients.disconnect();
  });
});

describe('a server without anonymous users', () => {
  let strict: ReferenceTestServer;

  beforeAll(async () => {
    strict = await startReferenceTestServer({ security: { policies: ['None'], validateUser: () => true } });
  });

  afterAll(() => strict.end());

  it("doesn't offer them, and refuses them by the kind of their token", async () => {
    const client = await clients.connect(strict.endpointUrl);
    const [endpoint] = await client.getEndpoints();
    expect(endpoint?.userIdentityTokens?.map(({ tokenType }) => tokenType)).toEqual([UserTokenType.UserName]);
    await clients.disconnect();
    const peer = await RawUacpPeer.connect({ port: strict.port });
    await peer.hello();
    await peer.openNone();
    const { authenticationToken } = await peer.request(CreateSessionRequest, {}, CreateSessionResponse);
    const requestHeader = RequestHeader.create({ authenticationToken });
    const { header } = await peer.response(peer.sendRequest(ActivateSessionRequest, { requestHeader }));
    expect(header.serviceResult).toBe(BulkheadStatusCodes.BadIdentityTokenRejected);
    await peer.request(CloseSessionRequest, { requestHeader }, CloseSessionResponse);
    await peer.closeChannel();
  });
});
