import { ANONYMOUS, ClientConnection, ClientSession, getEndpoints, openSession, selectEndpoint } from '@bulkhead/client';
import { SecurityPolicies } from '@bulkhead/security';
import { MessageSecurityMode, NodeId, QualifiedName, StatusCodes, VariableIds, Variant } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestClient, introduce, type TestClient, urlOf } from './support.ts';

const VALUE = 'ns=1;s=Value';
const STATE = NodeId.numeric(0, VariableIds.Server_ServerStatus_State);

describe('a session of the client', () => {
  let test: TestServer;
  let client: TestClient;

  beforeAll(async () => {
    test = await startTestServer(
      (space) => {
        const folder = space.addObject({ browseName: 'Folder', nodeId: NodeId.string(1, 'Folder') });
        folder.addVariable({ browseName: 'Value', nodeId: NodeId.string(1, 'Value'), dataType: 'Double', value: 1, writable: true });
        folder.addMethod({ browseName: 'Fail', nodeId: NodeId.string(1, 'Fail'), call: () => [] });
        for (let i = 0; i < 25; i++) folder.addVariable({ browseName: `Item${i}`, dataType: 'Int32', value: i });
      },
      {
        security: {
          policies: ['None', 'Basic256Sha256', 'Aes256_Sha256_RsaPss'],
          allowAnonymous: true,
          validateUser: (name, password) => name === 'joe' && password === 'secret',
        },
      },
    );
    client = createTestClient();
    await introduce(client, test);
  });

  afterAll(async () => {
    await client.end();
    await test.end();
  });

  it('reads and writes on an endpoint without security', async () => {
    await using session = await openSession(client.application, { endpointUrl: urlOf(test), security: { mode: 'None' } });
    expect((await session.readValue(STATE)).value?.value).toBe(0);
    expect(await session.writeValue(VALUE, Variant.double(2.5))).toBe(StatusCodes.Good);
    expect((await session.readValue(VALUE)).value?.value).toBe(2.5);
    expect(session.connection.security.mode).toBe(MessageSecurityMode.None);
  });

  it('takes the strongest security by default', async () => {
    await using session = await openSession(client.application, { endpointUrl: urlOf(test) });
    expect(session.connection.security).toMatchObject({
      mode: MessageSecurityMode.SignAndEncrypt,
      policy: { name: 'Aes256_Sha256_RsaPss' },
    });
    expect((await session.readValue(STATE)).statusCode).toBe(StatusCodes.Good);
  });

  it.each([
    ['Basic256Sha256', 'SignAndEncrypt'],
    ['Basic256Sha256', 'Sign'],
    ['None', 'None'],
  ] as const)('logs in with name and password over %s/%s', async (policy, mode) => {
    const user = { kind: 'userName', userName: 'joe', password: 'secret' } as const;
    await using session = await openSession(client.application, { endpointUrl: urlOf(test), security: { policy, mode }, user });
    expect((await session.readValue(STATE)).statusCode).toBe(StatusCodes.Good);
    const wrong = { ...user, password: 'wrong' };
    await expect(
      openSession(client.application, { endpointUrl: urlOf(test), security: { policy, mode }, user: wrong }),
    ).rejects.toMatchObject({
      statusCode: StatusCodes.BadUserAccessDenied,
    });
  });

  it('browses through continuation points, gives them back when it is left early, translates and calls', async () => {
    await using session = await openSession(client.application, { endpointUrl: urlOf(test), security: { mode: 'None' } });
    const all = await session.browseAll('ns=1;s=Folder', { maxReferencesPerNode: 4 });
    expect(all.map(({ browseName }) => browseName.name)).toHaveLength(27);
    expect(new Set(all.map(({ browseName }) => browseName.name)).size).toBe(27);
    // The server keeps few continuation points per session: those that weren't given back would be missed here.
    for (let round = 0; round < 50; round++) {
      for await (const reference of session.browse('ns=1;s=Folder', { maxReferencesPerNode: 2 })) {
        expect(reference.browseName.name).toBe(all[0]?.browseName.name);
        break;
      }
    }
    const [target] = await session.translateBrowsePath('i=85', [new QualifiedName(1, 'Folder'), new QualifiedName(1, 'Value')]);
    expect(target?.targetId.nodeId.toString()).toBe(VALUE);
    expect(await session.callMethod('ns=1;s=Folder', 'ns=1;s=Fail')).toEqual([]);
    await expect(session.callMethod('ns=1;s=Folder', 'ns=1;s=Nothing')).rejects.toMatchObject({ statusCode: StatusCodes.BadMethodInvalid });
  });

  it('finds out that the list of endpoints was changed on the way, and leaves no Session behind', async () => {
    const endpointUrl = urlOf(test);
    const endpoints = await getEndpoints({ endpointUrl });
    // As if the strongest had been taken out.
    const discoveredEndpoints = endpoints.filter(
      ({ securityPolicyUri }) => securityPolicyUri !== SecurityPolicies.Aes256_Sha256_RsaPss.uri,
    );
    const endpoint = selectEndpoint(discoveredEndpoints, {}, endpointUrl);
    const security = await client.application.securityFor(endpoint, true);
    await using connection = await ClientConnection.open({ endpointUrl, security });
    const seed = {
      application: client.application.description,
      endpoint,
      user: ANONYMOUS,
      sessionName: '',
      requestedSessionTimeoutMs: 60_000,
      localeIds: [],
    };
    await expect(ClientSession.create(connection, { ...seed, discoveredEndpoints })).rejects.toMatchObject({
      statusCode: StatusCodes.BadSecurityChecksFailed,
    });
    expect(test.server.counts.sessions).toBe(0);
    await (await ClientSession.create(connection, { ...seed, discoveredEndpoints: endpoints })).close();
  });

  it('refuses a server that it does not trust', async () => {
    const stranger = createTestClient();
    await expect(openSession(stranger.application, { endpointUrl: urlOf(test) })).rejects.toMatchObject({
      statusCode: StatusCodes.BadCertificateUntrusted,
    });
    await stranger.end();
  });
});
