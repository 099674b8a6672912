import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChannelIdentity } from '@bulkhead/secure-channel';
import { Certificate, createApplicationCertificate, LocalPrivateKey, type SecurityPolicy, splitCertificateChain } from '@bulkhead/security';
import { GetEndpointsRequest, GetEndpointsResponse, MessageSecurityMode, NodeId } from '@bulkhead/types';
import { ClientConnection } from './connection.ts';
import { PlainChannel } from './plain-channel.ts';

export const APPLICATION_URI: string = 'urn:bulkhead:benchmarks';

/** What a client needs for SignAndEncrypt with one server. */
export interface ClientSecurity {
  readonly policy: SecurityPolicy;
  readonly identity: ChannelIdentity;
  readonly serverCertificate: Certificate;
}

/** Asks the server for its certificate. @throws Error when it has no SignAndEncrypt endpoint with this policy. */
export async function discoverSecurity(url: string, policy: SecurityPolicy, identity: ChannelIdentity): Promise<ClientSecurity> {
  const connection = await ClientConnection.open(url, new PlainChannel());
  const fields = { endpointUrl: url, localeIds: null, profileUris: null };
  const { endpoints } = await connection.call(GetEndpointsRequest, GetEndpointsResponse, NodeId.NULL, fields);
  await connection.close();
  const endpoint = endpoints?.find(
    ({ securityMode, securityPolicyUri }) => securityMode === MessageSecurityMode.SignAndEncrypt && securityPolicyUri === policy.uri,
  );
  if (!endpoint?.serverCertificate) throw new Error(`the server has no endpoint with ${policy.name} and SignAndEncrypt`);
  const [leaf] = splitCertificateChain(endpoint.serverCertificate);
  return { policy, identity, serverCertificate: Certificate.parse(leaf as Buffer) };
}

/** The benchmark's own certificate and key, made on first use and kept in `folder` (to be trusted by servers that insist on it). */
export async function loadIdentity(folder: string): Promise<ChannelIdentity> {
  const certificateFile = join(folder, 'client.der');
  const keyFile = join(folder, 'client.pem');
  if (!existsSync(certificateFile)) await createIdentity(certificateFile, keyFile);
  const der = readFileSync(certificateFile);
  return {
    certificate: Certificate.parse(der),
    certificateChain: der,
    privateKey: new LocalPrivateKey(createPrivateKey(readFileSync(keyFile))),
  };
}

async function createIdentity(certificateFile: string, keyFile: string): Promise<void> {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const certificate = await createApplicationCertificate(pair.privateKey, createPublicKey(pair.privateKey), {
    applicationUri: APPLICATION_URI,
    applicationName: 'Bulkhead benchmarks',
    hostNames: ['localhost', '127.0.0.1'],
    notBeforeMs: Math.floor(Date.now() / 1000) * 1000 - 3_600_000,
  });
  writeFileSync(keyFile, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(certificateFile, certificate);
}
