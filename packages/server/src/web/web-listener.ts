import type { CertificateStore } from '@bulkhead/security';
import { WebPort } from '@bulkhead/transport-https';
import { UacpUpgradeHandler } from '@bulkhead/transport-websocket';
import type { ResolvedServerOptions } from '../server-options.ts';
import { createProxyHeaderGate } from '../trusted-proxies.ts';
import type { ServerParts } from '../wiring.ts';

/** Sockets above the Connection stage that may exist while others close. */
const SPARE_SOCKETS = 64;

/** Makes the web port with all that is served on it; undefined when nothing is. It doesn't listen yet. */
export async function createWebPort(
  options: ResolvedServerOptions,
  parts: ServerParts,
  store: CertificateStore,
): Promise<WebPort | undefined> {
  const { https, webSocket, webPort, rateLimits, maxChannelCount, maxBufferSize } = options;
  if (webSocket === undefined && https === undefined) return undefined;
  const { connections, runtime } = parts;
  const { plain, tls, tlsHandshakesPerSecond, ...settings } = webPort;
  const port = new WebPort({
    ...settings,
    gate: connections,
    requestClientCertificate: https?.sessionless?.validateClientCertificate !== undefined,
    tls: plain ? undefined : (tls ?? store.tlsIdentity()),
    handshakePace: { clock: runtime.clock, timers: runtime.timers, perSecond: tlsHandshakesPerSecond },
    backlog: rateLimits.listenBacklog,
    maxConnections: maxChannelCount + SPARE_SOCKETS + (options.proxyProtocol?.maxWaitingConnections ?? 0),
    proxyHeaders: createProxyHeaderGate(options, runtime),
    log: runtime.log,
  });
  if (webSocket !== undefined) {
    const idle = { timers: runtime.timers, pingIntervalMs: webSocket.pingIntervalMs };
    port.addUpgradeHandler(await UacpUpgradeHandler.create({ maxChunkBytes: maxBufferSize, idle }));
  }
  return port;
}

/** URLs by which clients reach what the web port serves. */
export function webUrls({ hostNames, https, webPort, webSocket }: ResolvedServerOptions, port: number): string[] {
  const schemes = [
    ...(webSocket === undefined && https?.json !== true ? [] : [webPort.plain ? 'opc.ws' : 'opc.wss']),
    // Without TLS there is a proxy in front that has it.
    ...(https === undefined ? [] : ['opc.https']),
  ];
  return schemes.flatMap((scheme) => hostNames.map((name) => `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`));
}
