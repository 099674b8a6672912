import { X509Certificate } from 'node:crypto';
import { type EndpointDescription, MessageSecurityMode, SecurityPolicy, UserTokenType } from 'node-opcua';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForeignClients } from '../support/foreign-clients.ts';
import { type ReferenceTestServer, startReferenceTestServer } from '../support/reference-test-server.ts';

const UATCP = 'http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary';
const URI = 'urn:test:discovered';
let server: ReferenceTestServer;
let clients: ForeignClients;

beforeAll(async () => {
  server = await startReferenceTestServer({
    applicationName: 'Discovered server',
    applicationUri: URI,
    productUri: 'urn:test:product',
    security: {
      policies: ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'],
      allowAnonymous: true,
      validateUser: () => true,
    },
  });
  clients = await ForeignClients.create();
});

afterAll(async () => {
  await clients.end();
  await server.end();
});

function label({ securityPolicyUri, securityMode }: EndpointDescription): string {
  return `${securityPolicyUri?.split('#')[1]} ${MessageSecurityMode[securityMode]}`;
}

describe('discovery by a foreign client', () => {
  let endpoints: EndpointDescription[];

  beforeAll(async () => {
    const client = await clients.connect(server.endpointUrl);
    endpoints = await client.getEndpoints();
  });

  it('gives every policy with every mode, once', () => {
    expect(endpoints.map(label).sort()).toEqual([
      'Aes128_Sha256_RsaOaep Sign',
      'Aes128_Sha256_RsaOaep SignAndEncrypt',
      'Aes256_Sha256_RsaPss Sign',
      'Aes256_Sha256_RsaPss SignAndEncrypt',
      'Basic256Sha256 Sign',
      'Basic256Sha256 SignAndEncrypt',
      'None None',
    ]);
  });

  it('names the URL, the transport and the application in each of them', () => {
    for (const endpoint of endpoints) {
      expect(endpoint.endpointUrl).toBe(server.endpointUrl);
      expect(endpoint.transportProfileUri).toBe(UATCP);
      expect(endpoint.server.applicationUri).toBe(URI);
      expect(endpoint.server.applicationName.text).toBe('Discovered server');
      expect(endpoint.server.productUri).toBe('urn:test:product');
      expect(endpoint.server.discoveryUrls).toEqual([server.endpointUrl]);
    }
  });

  it('ranks encryption above signatures, and both above nothing', () => {
    const level = (wanted: string): number => endpoints.find((endpoint) => label(endpoint) === wanted)?.securityLevel ?? -1;
    for (const policy of ['Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss']) {
      expect(level(`${policy} SignAndEncrypt`)).toBeGreaterThan(level(`${policy} Sign`));
      expect(level(`${policy} Sign`)).toBeGreaterThan(level('None None'));
    }
  });

  it('gives a certificate for the URI and the host that it was reached under', () => {
    for (const { serverCertificate } of endpoints) {
      const certificate = new X509Certificate(serverCertificate);
      expect(certificate.subjectAltName).toContain(`URI:${URI}`);
      expect(certificate.subjectAltName).toContain(`IP Address:${new URL(server.endpointUrl).hostname}`);
      expect(certificate.verify(certificate.publicKey)).toBe(true);
    }
  });

  it('offers anonymous users and names with encrypted passwords', () => {
    for (const { securityPolicyUri, userIdentityTokens } of endpoints) {
      const tokens = userIdentityTokens ?? [];
      expect(tokens.map(({ tokenType }) => UserTokenType[tokenType]).sort()).toEqual(['Anonymous', 'UserName']);
      expect(new Set(tokens.map(({ policyId }) => policyId)).size).toBe(tokens.length);
      const password = tokens.find(({ tokenType }) => tokenType === UserTokenType.UserName);
      const effective = password?.securityPolicyUri || securityPolicyUri;
      expect(effective).not.toBe(SecurityPolicy.None);
    }
  });

  it('answers with the endpoints of the transports asked for only', async () => {
    const client = await clients.connect(server.endpointUrl);
    expect(await client.getEndpoints({ profileUris: [UATCP] })).toHaveLength(7);
    expect(await client.getEndpoints({ profileUris: ['http://opcfoundation.org/UA-Profile/Transport/https-uabinary'] })).toEqual([]);
  });

  it('finds the server itself, unless another one is asked for', async () => {
    const client = await clients.connect(server.endpointUrl);
    const [found, ...others] = await client.findServers();
    expect(others).toEqual([]);
    expect(found?.applicationUri).toBe(URI);
    expect(found?.discoveryUrls).toEqual([server.endpointUrl]);
    expect(await client.findServers({ serverUris: [URI] })).toHaveLength(1);
    expect(await client.findServers({ serverUris: ['urn:test:another'] })).toEqual([]);
  });
});
