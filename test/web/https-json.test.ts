import { getEndpoints } from '@bulkhead/client';
import { StatusCodes } from '@bulkhead/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClient, introduce, type TestClient } from '../client/support.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type HttpsAnswer, HttpsPeer } from './https-peer.ts';

const VALUE = 'ns=1;s=Speed';
const JSON_PROFILE = 'http://opcfoundation.org/UA-Profile/Transport/https-uajson';

type Json = Record<string, unknown>;
type Options = NonNullable<Parameters<typeof startTestServer>[1]>;

let test: TestServer;
let client: TestClient;
let peer: HttpsPeer;

async function start(https: Options['https'] = { sessionless: {} }, options: Options = {}): Promise<void> {
  test = await startTestServer(
    (space) => {
      space.addVariable({ nodeId: 's=Speed', browseName: 'Speed', dataType: 'Double', value: 21.5, writable: true });
    },
    { https: https as object, webPort: { port: 0 }, ...options },
  );
  client = createTestClient();
  await introduce(client, test);
  peer = new HttpsPeer(test);
}

async function post(path: string, body: Json | string, headers: Record<string, string> = {}): Promise<HttpsAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return peer.post(path, text, { 'content-type': 'application/json', ...headers });
}

async function postJson(path: string, body: Json, headers: Record<string, string> = {}): Promise<Json> {
  const answer = await post(path, body, headers);
  expect(answer.statusCode, answer.body.toString()).toBe(200);
  return JSON.parse(answer.body.toString()) as Json;
}

/** The ServiceResult of a response, Good when it is left out. */
function resultOf({ ResponseHeader }: Json): number {
  const { ServiceResult } = (ResponseHeader ?? {}) as { ServiceResult?: { Code?: number } };
  return ServiceResult?.Code ?? 0;
}

const readValue = { NodesToRead: [{ NodeId: VALUE, AttributeId: 13 }] };

beforeEach(() => {
  peer = undefined as never;
});

afterEach(async () => {
  peer.close();
  await client.end();
  await test.end();
});

describe('OpenAPI over HTTPS', () => {
  it('reads and writes by a path for each service', async () => {
    await start();
    const read = await postJson('/read', { RequestHeader: { RequestHandle: 7 }, ...readValue });
    expect(read).toMatchObject({ ResponseHeader: { RequestHandle: 7 }, Results: [{ UaType: 11, Value: 21.5 }] });
    const write = { NodesToWrite: [{ NodeId: VALUE, AttributeId: 13, Value: { UaType: 11, Value: 3.5 } }] };
    expect(resultOf(await postJson('/write', write))).toBe(0);
    expect(await postJson('/read', readValue)).toMatchObject({ Results: [{ Value: 3.5 }] });
  });

  it('writes names beside codes when the verbose flavour is asked for', async () => {
    await start();
    const answer = await post('/read', readValue, { 'content-type': 'application/json; encoding=verbose' });
    expect(answer.headers['content-type']).toBe('application/json; encoding=verbose');
    const verbose = JSON.parse(answer.body.toString()) as Json;
    expect(verbose).toHaveProperty('DiagnosticInfos');
    expect(await postJson('/read', readValue)).not.toHaveProperty('DiagnosticInfos');
  });

  it('describes the services that there are, and nothing that is not described', async () => {
    await start();
    const response = await peer.get('/openapi.json');
    expect(response.headers['content-type']).toMatch(/^application\/json/u);
    const document = JSON.parse(response.body.toString()) as { openapi: string; paths: Json };
    expect(document.openapi).toBe('3.1.0');
    for (const path of Object.keys(document.paths)) expect((await post(path, '{')).statusCode).toBe(200);
    expect(document.paths).toHaveProperty('/createsubscription');
    expect((await post('/queryfirst', {})).statusCode).toBe(404);
  });

  it('answers what can not be decoded with BadDecodingError, and with where the fault is nothing of its insides', async () => {
    await start();
    for (const body of ['', 'x', '[]', '{"NodesToRead":7}', '{"RequestHeader":[]}', '{"MaxAge":1,"MaxAge":2}']) {
      const answer = await post('/read', body);
      expect(answer.statusCode).toBe(200);
      expect(resultOf(JSON.parse(answer.body.toString()) as Json), body).toBe(StatusCodes.BadDecodingError);
    }
    const deep = await post('/read', `{"NodesToRead":${'['.repeat(5000)}`);
    expect(resultOf(JSON.parse(deep.body.toString()) as Json)).toBe(StatusCodes.BadEncodingLimitsExceeded);
  });

  it('takes bodies in JSON up to a bound of their own', async () => {
    await start({ sessionless: {}, maxJsonBodyBytes: 1000 });
    const body = JSON.stringify(readValue);
    expect((await post('/read', body.padEnd(1000))).statusCode).toBe(200);
    expect((await post('/read', body.padEnd(1001))).statusCode).toBe(413);
    expect((await post('/', body.padEnd(1001))).statusCode).toBe(413);
  });

  it('speaks no JSON where the host does not want it', async () => {
    await start({ sessionless: {}, json: false });
    expect((await post('/read', readValue)).statusCode).toBe(404);
    expect((await post('/', readValue)).statusCode).toBe(415);
    expect((await peer.get('/openapi.json')).statusCode).toBe(404);
  });

  it('needs a Session unless the host allows requests without one', async () => {
    await start({});
    expect(resultOf(await postJson('/read', readValue))).toBe(StatusCodes.BadSessionIdInvalid);
  });

  it('RL-10 counts requests by path', async () => {
    await start({ sessionless: {} }, { httpsRateLimits: { routes: { '/read': 1 }, windowMs: 3_600_000 } });
    await postJson('/read', readValue);
    const refused = await post('/read', readValue);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000);
    await postJson('/browse', {});
  });
});

describe('https-uajson', () => {
  it('is among the endpoints of discovery', async () => {
    await start();
    const endpointUrl = test.server.endpointUrls[0] as string;
    const profiles = (await getEndpoints({ endpointUrl })).map(({ transportProfileUri }) => transportProfileUri);
    expect(profiles).toContain(JSON_PROFILE);
  });

  it.each(['application/json', 'application/opcua+uajson'])('carries messages that say what they are, as %s', async (type) => {
    await start();
    const answer = await postJson('/', { UaTypeId: 'i=629', ...readValue }, { 'content-type': type });
    expect(answer).toMatchObject({ UaTypeId: 'i=632', Results: [{ Value: 21.5 }] });
  });

  it('carries a Session from CreateSession to CloseSession', async () => {
    await start({});
    const created = await postJson('/', { UaTypeId: 'i=459', SessionName: 'json', RequestedSessionTimeout: 60_000 });
    expect(created).toMatchObject({ UaTypeId: 'i=462' });
    const RequestHeader = { AuthenticationToken: created['AuthenticationToken'] };
    await postJson('/', { UaTypeId: 'i=465', RequestHeader });
    expect(await postJson('/read', { RequestHeader, ...readValue })).toMatchObject({ Results: [{ Value: 21.5 }] });
    expect(resultOf(await postJson('/', { UaTypeId: 'i=471', RequestHeader }))).toBe(0);
    expect(test.server.counts.sessions).toBe(0);
  });

  it('answers a SessionlessInvoke in its envelope', async () => {
    await start();
    const answer = await postJson('/', { ServiceId: 629, Body: readValue });
    expect(answer).toMatchObject({ ServiceId: 632, Body: { Results: [{ Value: 21.5 }] } });
  });

  it('answers a service that there is not with a ServiceFault', async () => {
    await start();
    const answer = await postJson('/', { UaTypeId: 'i=613' });
    expect(answer['UaTypeId']).toBe('i=395');
    expect(resultOf(answer)).toBe(StatusCodes.BadServiceUnsupported);
  });
});
