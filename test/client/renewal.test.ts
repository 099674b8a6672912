import { ClientConnection, getEndpoints, openSession, selectEndpoint } from '@bulkhead/client';
import { GetEndpointsRequest, GetEndpointsResponse, StatusCodes } from '@bulkhead/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestClient, introduce, type TestClient, urlOf } from './support.ts';

describe("the client's channel", () => {
  let test: TestServer;
  let client: TestClient;

  beforeAll(async () => {
    test = await startTestServer();
    client = createTestClient();
    await introduce(client, test);
  });

  afterAll(async () => {
    await client.end();
    await test.end();
  });

  it('renews its token while requests go on, and outlives several of them', async () => {
    const requestedLifetimeMs = 600;
    await using session = await openSession(client.application, { endpointUrl: urlOf(test), requestedLifetimeMs });
    const startMs = performance.now();
    let reads = 0;
    while (session.connection.renewals < 3) {
      const values = await session.readValues(['i=2259', 'i=2258']);
      expect(values.map(({ statusCode }) => statusCode)).toEqual([StatusCodes.Good, StatusCodes.Good]);
      reads++;
    }
    expect(session.connection.isOpen).toBe(true);
    // Before the third token there were three lifetimes at most, and none would have lasted so long.
    expect(performance.now() - startMs).toBeGreaterThan(requestedLifetimeMs);
    expect(reads).toBeGreaterThan(10);
  });

  it('bounds requests on their way, and gives one up by its signal or time without harm to others', async () => {
    const endpointUrl = urlOf(test);
    const endpoint = selectEndpoint(await getEndpoints({ endpointUrl }), {}, endpointUrl);
    const security = await client.application.securityFor(endpoint, true);
    await using connection = await ClientConnection.open({ endpointUrl, security, maxInFlightRequests: 2 });
    const ask = (options = {}): Promise<GetEndpointsResponse> =>
      connection.request(GetEndpointsRequest, GetEndpointsResponse, { endpointUrl }, undefined, options);
    const abort = new AbortController();
    const [first, aborted] = [ask(), ask({ signal: abort.signal })];
    await expect(ask()).rejects.toMatchObject({ statusCode: StatusCodes.BadResourceUnavailable });
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ statusCode: StatusCodes.BadRequestCancelledByClient });
    expect((await first).endpoints).not.toHaveLength(0);
    expect((await ask()).endpoints).not.toHaveLength(0);
    expect(connection.inFlightRequests).toBe(0);
  });
});
