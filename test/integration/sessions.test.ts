import { ReadRequest, StatusCodes } from '@bulkhead/types';
import { AttributeIds, type ClientSession, type OPCUAClient, type UserIdentityInfo, UserTokenType } from 'node-opcua';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { encrypted, ForeignClients, putCertificate, userNamed } from '../support/foreign-clients.ts';
import { monitor, subscribe } from '../support/publishing.ts';
import { RawSession, readOf } from '../support/raw-session.ts';
import { POLICIES, type ReferenceTestServer, startReferenceTestServer, trustedFolder } from '../support/reference-test-server.ts';
import { operator, validateUser } from '../support/users.ts';

const MAX_SESSIONS = 4;
const NODE = 'ns=2;s=Bench.Writable';
const anonymous: UserIdentityInfo = { type: UserTokenType.Anonymous };
let server: ReferenceTestServer;
let clients: ForeignClients;

beforeAll(async () => {
  server = await startReferenceTestServer({
    security: { policies: POLICIES, allowAnonymous: true, validateUser },
    minSessionTimeoutMs: 300,
    maxSessionCount: MAX_SESSIONS,
  });
  clients = await ForeignClients.create();
  putCertificate(clients.certificate, trustedFolder(server));
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

afterEach(() => clients.disconnect());

async function readCode(session: ClientSession, nodeId = NODE): Promise<string> {
  return (await session.read({ nodeId, attributeId: AttributeIds.Value })).statusCode.name;
}

describe('the user of a session', () => {
  const operatorOnly = 'ns=2;s=Access.OperatorOnly';

  it('can change, and what the session may do changes with it', async () => {
    const session = await clients.session(server.endpointUrl, encrypted);
    expect(await readCode(session, operatorOnly)).toBe('BadUserAccessDenied');
    expect((await session.changeUser(operator)).name).toBe('Good');
    expect(await readCode(session, operatorOnly)).toBe('Good');
    expect((await session.changeUser(anonymous)).name).toBe('Good');
    expect(await readCode(session, operatorOnly)).toBe('BadUserAccessDenied');
  });

  it('stays who it was when the new one has a wrong password', async () => {
    const session = await clients.session(server.endpointUrl, encrypted, operator);
    const refused = await session.changeUser(userNamed('observer', 'wrong')).then(
      ({ name }) => name,
      (error: Error) => error.message,
    );
    expect(refused).toContain('BadUserAccessDenied');
    expect(await readCode(session, operatorOnly)).toBe('Good');
  });
});

describe('a session that is not used', () => {
  it('ends at its timeout, with its subscriptions left to their own', async () => {
    const session = await clients.session(server.endpointUrl, { requestedSessionTimeout: 300 });
    expect(session.timeout).toBe(300);
    const subscriptionId = await subscribe(session, 50, { keepAlive: 1, lifetime: 20 });
    await monitor(session, subscriptionId, [{ nodeId: NODE }]);
    await vi.waitFor(() => expect(server.server.counts.sessions).toBe(0), { timeout: 3000 });
    expect(server.server.counts.subscriptions).toBe(1);
    await vi.waitFor(() => expect(server.server.counts.subscriptions).toBe(0), { timeout: 3000 });
    // The library gets itself another one.
    expect(await readCode(session)).toBe('Good');
  });

  it('is unknown after its timeout', async () => {
    const session = await RawSession.open({ port: server.port }, 300);
    await vi.waitFor(() => expect(server.server.counts.sessions).toBe(0), { timeout: 3000 });
    const { header } = await session.peer.response(session.send(ReadRequest, readOf([NODE])));
    expect(header.serviceResult).toBe(StatusCodes.BadSessionIdInvalid);
    await session.peer.closeChannel();
  });

  it('lives on as long as it is used', async () => {
    const session = await clients.session(server.endpointUrl, { requestedSessionTimeout: 300 });
    const endMs = performance.now() + 900;
    while (performance.now() < endMs) {
      expect(await readCode(session)).toBe('Good');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(server.server.counts.sessions).toBe(1);
  });

  it('gets a timeout within the server’s limits', async () => {
    const [short, long] = await Promise.all(
      [1, 1e9].map((requestedSessionTimeout) => clients.session(server.endpointUrl, { requestedSessionTimeout })),
    );
    expect([short?.timeout, long?.timeout]).toEqual([300, server.server.options.maxSessionTimeoutMs]);
  });
});

describe('two sessions', () => {
  it('on one channel end one by one', async () => {
    const client = await clients.connect(server.endpointUrl);
    const [first, second] = [await client.createSession(), await client.createSession()];
    expect(first.sessionId.toString()).not.toBe(second.sessionId.toString());
    expect(server.server.counts).toMatchObject({ openChannels: 1, sessions: 2 });
    const subscriptionId = await subscribe(first);
    await monitor(first, subscriptionId, [{ nodeId: NODE }]);
    await second.close();
    expect(await readCode(first)).toBe('Good');
    expect(server.server.counts).toMatchObject({ sessions: 1, subscriptions: 1 });
    await first.close();
    expect(server.server.counts).toMatchObject({ openChannels: 1, sessions: 0, subscriptions: 0 });
  });

  it('of two clients know nothing of each other', async () => {
    const [first, second] = [await clients.session(server.endpointUrl), await clients.session(server.endpointUrl)];
    const subscriptionId = await subscribe(first);
    const [item] = await monitor(first, subscriptionId, [{ nodeId: NODE }]);
    expect(item?.status).toBe('Good');
    await expect(monitor(second, subscriptionId, [{ nodeId: NODE }])).rejects.toThrow('BadSubscriptionIdInvalid');
    expect(await readCode(second)).toBe('Good');
  });

  it('can’t be used from each other’s channel', async () => {
    const [first, second] = [await clients.session(server.endpointUrl), await clients.session(server.endpointUrl)];
    const token = second.authenticationToken;
    Object.assign(second, { authenticationToken: first.authenticationToken });
    await expect(readCode(second)).rejects.toThrow('BadSecureChannelIdInvalid');
    Object.assign(second, { authenticationToken: token });
    expect([await readCode(first), await readCode(second)]).toEqual(['Good', 'Good']);
  });

  it('more than there may be are refused, and one that ends makes room', async () => {
    const client = await clients.connect(server.endpointUrl);
    const sessions = await Promise.all(Array.from({ length: MAX_SESSIONS }, () => client.createSession()));
    await expect(client.createSession()).rejects.toThrow('BadTooManySessions');
    await sessions[0]?.close();
    expect(await readCode(await client.createSession())).toBe('Good');
    expect(server.server.counts.sessions).toBe(MAX_SESSIONS);
  });
});

describe('a session whose client comes back on another channel', () => {
  async function moveTo(client: OPCUAClient, session: ClientSession): Promise<void> {
    await client.reactivateSession(session);
  }

  it('goes on there, with its subscriptions', async () => {
    const [from, to] = [await clients.connect(server.endpointUrl, encrypted), await clients.connect(server.endpointUrl, encrypted)];
    const session = await from.createSession(operator);
    await subscribe(session);
    await moveTo(to, session);
    expect(await readCode(session, 'ns=2;s=Access.OperatorOnly')).toBe('Good');
    expect(server.server.counts).toMatchObject({ openChannels: 2, sessions: 1, subscriptions: 1 });
    await from.disconnect();
    expect(await readCode(session)).toBe('Good');
  });

  it('isn’t taken to a channel that is secured otherwise', async () => {
    const [from, to] = [await clients.connect(server.endpointUrl, encrypted), await clients.connect(server.endpointUrl)];
    const session = await from.createSession();
    await expect(moveTo(to, session)).rejects.toThrow();
    expect(server.server.counts).toMatchObject({ sessions: 1 });
  });
});
