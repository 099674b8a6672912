import { createWriteStream } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeClientIdentity } from './certificates.mjs';
import { makeConfig, TICK_MS } from './config.mjs';
import { startCutProxy } from './cut-proxy.mjs';
import { startServer } from './reference-server.mjs';

/**
 * A server, a proxy before it, certificates and a config.json for one client.
 * @param isRecorded the client's main endpoint is the unsecured one, behind a proxy that keeps all bytes.
 * @returns `{ configFile, connections, end() }`; `end` resolves to a complaint about the server, or undefined.
 */
export async function openLab(root, folder, stackName, survey, isRecorded = false) {
  const pki = join(folder, 'pki');
  const trusted = join(pki, 'trusted', 'certs');
  const applicationUri = `urn:bulkhead:interop:${stackName}`;
  await mkdir(trusted, { recursive: true });
  const client = await makeClientIdentity(join(folder, 'client'), 'client', applicationUri);
  const untrusted = await makeClientIdentity(join(folder, 'untrusted'), 'untrusted', applicationUri);
  await writeFile(join(trusted, 'client.der'), client.der);
  const log = createWriteStream(join(folder, 'server.log'));
  const server = await startServer(root, pki, TICK_MS, log);
  const port = Number(new URL(server.url).port);
  const proxy = await startCutProxy(port, isRecorded);
  const own = join(pki, 'own', 'certs');
  const proxyUrl = server.url.replace(`:${port}`, `:${proxy.port}`);
  const run = {
    url: isRecorded ? proxyUrl : server.url,
    serverCertificateFile: join(own, (await readdir(own))[0]),
    client: client.identity,
    untrusted: untrusted.identity,
    proxy: { url: proxyUrl, control: proxy.control },
  };
  const configFile = join(folder, 'config.json');
  await writeFile(configFile, `${JSON.stringify(makeConfig(run, survey, isRecorded ? 'None' : undefined), undefined, 2)}\n`);
  return {
    configFile,
    connections: proxy.connections,
    end: async () => {
      proxy.close();
      const complaint = await server.stop();
      log.end();
      return complaint;
    },
  };
}
