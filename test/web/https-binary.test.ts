import { getEndpoints, ManagedSession, openSession, ReconnectPolicy } from '@bulkhead/client';
import { Stage } from '@bulkhead/resource-isolation';
import {
  ActivateSessionRequest,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  GetEndpointsRequest,
  GetEndpointsResponse,
  MessageSecurityMode,
  type NodeId,
  PublishRequest,
  ReadRequest,
  ReadResponse,
  StatusCodes,
  UserTokenType,
  Variant,
} from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClient, introduce, type TestClient } from '../client/support.ts';
import { CuttableProxy } from '../support/cuttable-proxy.ts';
import { variable } from '../support/publishing.ts';
import { readOf } from '../support/raw-session.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { HttpsPeer } from './https-peer.ts';

const VALUE = 'ns=1;s=Speed';
const HTTPS_PROFILE = 'http://opcfoundation.org/UA-Profile/Transport/https-uabinary';

let test: TestServer;
let client: TestClient;
let peers: HttpsPeer[];

function httpsUrl(): string {
  return test.server.endpointUrls.find((each) => each.startsWith('opc.https:')) ?? '';
}

function peer(): HttpsPeer {
  const made = new HttpsPeer(test);
  peers.push(made);
  return made;
}

async function peerWithSession(): Promise<HttpsPeer> {
  const made = await HttpsPeer.withSession(test);
  peers.push(made);
  return made;
}

/** Waits for something that the event loop has to bring about. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function start(options: Parameters<typeof startTestServer>[1] = {}): Promise<void> {
  test = await startTestServer(
    (space) => {
      space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 21.5, writable: true });
    },
    { https: {}, webPort: { port: 0 }, ...options },
  );
  client = createTestClient();
  await introduce(client, test);
}

beforeEach(() => {
  peers = [];
});

afterEach(async () => {
  for (const each of peers) each.close();
  await client.end();
  await test.end();
});

describe('opc.https in OPC UA Binary', () => {
  it('is among the endpoints of discovery by either transport, encrypted by TLS', async () => {
    await start();
    for (const endpointUrl of [test.server.endpointUrls[0] as string, httpsUrl()]) {
      const endpoints = await getEndpoints({ endpointUrl, tlsTrust: client.application });
      const https = endpoints.filter(({ transportProfileUri }) => transportProfileUri === HTTPS_PROFILE);
      expect(https.map((endpoint) => endpoint.endpointUrl)).toEqual([httpsUrl(), httpsUrl()]);
      expect(https.map(({ securityMode }) => securityMode)).toEqual([MessageSecurityMode.None, MessageSecurityMode.Sign]);
      expect(https[0]?.userIdentityTokens?.map(({ tokenType }) => tokenType)).toEqual([UserTokenType.Anonymous]);
    }
  });

  it.each(['None', 'Basic256Sha256'] as const)('carries a Session with policy %s: reads, writes and subscriptions', async (policy) => {
    await start();
    await using session = await openSession(client.application, { endpointUrl: httpsUrl(), security: { policy } });
    expect((await session.readValue(VALUE)).value?.value).toBe(21.5);
    expect(await session.writeValue(VALUE, Variant.double(22.5))).toBe(StatusCodes.Good);
    const subscription = await session.subscribe({ publishingIntervalMs: 50 });
    const item = await subscription.monitor(VALUE, { samplingIntervalMs: 0 });
    for await (const { value } of item) {
      expect(value?.value).toBe(22.5);
      break;
    }
  });

  it('logs a user in with a password that only TLS encrypts', async () => {
    await start({ security: { policies: ['None'], validateUser: (name, password) => name === 'ann' && password === 'secret' } });
    const user = { kind: 'userName', userName: 'ann', password: 'secret' } as const;
    const security = { policy: 'None' } as const;
    await using session = await openSession(client.application, { endpointUrl: httpsUrl(), user, security });
    expect((await session.readValue(VALUE)).value?.value).toBe(21.5);
    const wrong = openSession(client.application, { endpointUrl: httpsUrl(), security, user: { ...user, password: 'guess' } });
    await expect(wrong).rejects.toMatchObject({ statusCode: StatusCodes.BadUserAccessDenied });
  });

  it('sends nothing to a server whose TLS certificate it does not trust', async () => {
    await start();
    await expect(getEndpoints({ endpointUrl: httpsUrl() })).rejects.toMatchObject({ statusCode: StatusCodes.BadCertificateUntrusted });
  });

  it('RI-37 serves the requests of a Session over several connections, with one slot for each that is open', async () => {
    await start();
    const first = await peerWithSession();
    expect((await first.request(ReadRequest, readOf([VALUE]), ReadResponse)).results?.[0]?.value?.value).toBe(21.5);
    expect(test.server.resourceIsolation.getUsage(Stage.Connection)).toBe(1);
    const second = peer();
    second.authenticationToken = first.authenticationToken;
    expect((await second.request(ReadRequest, readOf([VALUE]), ReadResponse)).results?.[0]?.value?.value).toBe(21.5);
    expect(test.server.resourceIsolation.getUsage(Stage.Connection)).toBe(2);
    first.close();
    await until(() => test.server.resourceIsolation.getUsage(Stage.Connection) === 1);
    await second.request(ReadRequest, readOf([VALUE]), ReadResponse);
    expect(test.server.counts.sessions).toBe(1);
    await second.request(CloseSessionRequest, {}, CloseSessionResponse);
    expect(test.server.counts.sessions).toBe(0);
    expect(await second.fault(ReadRequest, readOf([VALUE]))).toBe(StatusCodes.BadSessionIdInvalid);
  });

  it('cancels a waiting Publish when its client goes, and keeps the Session', async () => {
    await start();
    const session = await peerWithSession();
    await session.request(CreateSubscriptionRequest, { requestedPublishingInterval: 60_000 }, CreateSubscriptionResponse);
    const abort = new AbortController();
    const publish = session.send(PublishRequest, {}, {}, abort.signal).catch(() => 'gone');
    await until(() => test.server.counts.parkedRequests === 1);
    abort.abort();
    expect(await publish).toBe('gone');
    await until(() => test.server.counts.parkedRequests === 0);
    expect((await session.request(ReadRequest, readOf([VALUE]), ReadResponse)).results).toHaveLength(1);
    await session.request(CloseSessionRequest, { deleteSubscriptions: true }, CloseSessionResponse);
  });

  it('answers a waiting Publish when the server stops', async () => {
    await start();
    const session = await peerWithSession();
    await session.request(CreateSubscriptionRequest, { requestedPublishingInterval: 60_000 }, CreateSubscriptionResponse);
    const publish = session.fault(PublishRequest, {});
    await until(() => test.server.counts.parkedRequests === 1);
    await test.server.stop();
    expect(await publish).toBe(StatusCodes.BadServerHalted);
  });

  it('takes a SecurityPolicy only with the certificate of an application that it trusts', async () => {
    await start({ security: { policies: ['Basic256Sha256'] } });
    const header = (policy: string) => ({ 'OPCUA-SecurityPolicy': `http://opcfoundation.org/UA/SecurityPolicy#${policy}` });
    const clientNonce = Buffer.alloc(32, 1);
    expect(await peer().fault(CreateSessionRequest, { clientNonce })).toBe(StatusCodes.BadSecurityPolicyRejected);
    expect(await peer().fault(CreateSessionRequest, { clientNonce }, header('Aes128_Sha256_RsaOaep'))).toBe(
      StatusCodes.BadSecurityPolicyRejected,
    );
    expect(await peer().fault(CreateSessionRequest, { clientNonce }, header('Basic256Sha256'))).toBe(StatusCodes.BadCertificateInvalid);
    const stranger = createTestClient();
    const clientCertificate = (await stranger.application.certificateStore()).certificate.der;
    expect(await peer().fault(CreateSessionRequest, { clientNonce, clientCertificate }, header('Basic256Sha256'))).toBe(
      StatusCodes.BadSecurityChecksFailed,
    );
    await stranger.end();
  });

  it('refuses an ActivateSession that is not signed by the application that created the Session', async () => {
    await start({ security: { policies: ['Basic256Sha256'] } });
    const raw = peer();
    const { certificate } = await client.application.certificateStore();
    const created = await raw.request(
      CreateSessionRequest,
      {
        clientNonce: Buffer.alloc(32, 1),
        clientCertificate: certificate.der,
        clientDescription: client.application.description,
      },
      CreateSessionResponse,
      { 'OPCUA-SecurityPolicy': 'http://opcfoundation.org/UA/SecurityPolicy#Basic256Sha256' },
    );
    expect(created.serverSignature.signature).not.toBeNull();
    raw.authenticationToken = created.authenticationToken;
    expect(await raw.fault(ActivateSessionRequest, {})).toBe(StatusCodes.BadApplicationSignatureInvalid);
    await raw.request(CloseSessionRequest, {}, CloseSessionResponse);
  });

  it('gives the channel of a Session back when the Session times out, whatever its connection does', async () => {
    await start({ minSessionTimeoutMs: 100, maxSessionTimeoutMs: 100 });
    const session = await peerWithSession();
    expect(test.server.counts).toMatchObject({ connections: 1, openChannels: 1, sessions: 1 });
    await until(() => test.server.counts.sessions === 0);
    expect(test.server.counts).toMatchObject({ connections: 1, openChannels: 0 });
    expect(await session.fault(ReadRequest, readOf([VALUE]))).toBe(StatusCodes.BadSessionIdInvalid);
  });

  it('gives the channel of a connection back with it', async () => {
    await start();
    const raw = peer();
    await raw.request(GetEndpointsRequest, {}, GetEndpointsResponse);
    expect(test.server.counts.openChannels).toBe(1);
    raw.close();
    await until(() => test.server.counts.openChannels === 0);
  });

  it('RL-12 admits as many connections as there are channels, and gives a place back with its connection', async () => {
    await start({ maxSessionCount: 1, maxChannelCount: 2, resourceIsolation: { mode: 'SharedOnly' } });
    const first = peer();
    const second = peer();
    await Promise.all([first, second].map((each) => each.request(GetEndpointsRequest, {}, GetEndpointsResponse)));
    await expect(peer().request(GetEndpointsRequest, {}, GetEndpointsResponse)).rejects.toThrow();
    first.close();
    await until(() => test.server.resourceIsolation.getUsage(Stage.Connection) === 1);
    await peer().request(GetEndpointsRequest, {}, GetEndpointsResponse);
  });

  it('CL-02 takes Retry-After of 429 as when to try again', async () => {
    await start({ httpsRateLimits: { requestsPerWindow: 1, windowMs: 5000 } });
    await getEndpoints({ endpointUrl: httpsUrl(), tlsTrust: client.application });
    await expect(getEndpoints({ endpointUrl: httpsUrl(), tlsTrust: client.application })).rejects.toMatchObject({
      statusCode: StatusCodes.BadServerTooBusy,
      retryAfterMs: expect.toSatisfy((ms: number) => ms > 1000 && ms <= 5000),
    });
  });

  it('gives a ManagedSession every value of its Subscription after its connections were cut', async () => {
    await start();
    const proxy = await CuttableProxy.start(Number(new URL(httpsUrl()).port));
    const endpointUrl = proxy.endpointUrl.replace('opc.tcp', 'opc.https');
    const reconnectPolicy = new ReconnectPolicy({ initialDelayMs: 20, maxDelayMs: 100 });
    {
      await using session = await ManagedSession.connect({ application: client.application, endpointUrl, reconnectPolicy });
      const { sessionId } = session;
      const subscription = await session.subscribe({ publishingIntervalMs: 50 });
      const item = await subscription.monitor(VALUE, { samplingIntervalMs: 0, queueSize: 100 });
      const node = variable(test.server, VALUE);
      const values: unknown[] = [];
      for await (const { value } of item) {
        values.push(value?.value);
        if (values.length === 1) {
          proxy.cut();
          for (let next = 1; next <= 5; next++) node.setValue(next);
          proxy.mend();
        }
        if (value?.value === 5) break;
      }
      expect(values).toEqual([21.5, 1, 2, 3, 4, 5]);
      expect(session.sessionId?.equals(sessionId as NodeId)).toBe(true);
    }
    await proxy.close();
  });
});
