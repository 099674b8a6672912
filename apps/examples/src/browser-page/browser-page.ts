import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { addOpcUa, type OpcUaServer } from '@bulkhead/opcua';

const PAGE_FOLDER = new URL('../../browser-page/', import.meta.url);

/** All that is served, and as what. */
const files: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'opcua-json.js': 'text/javascript; charset=utf-8',
};

const POLICY = "default-src 'self'; img-src data:; connect-src 'self' https: wss:; base-uri 'none'; frame-ancestors 'none'";
const CHANGE_EVERY_MS = 200;

export interface BrowserPageOptions {
  /** Of the page; 0 takes any free one. */
  readonly pagePort: number;
  /** Of OPC UA for pages: HTTPS and WebSockets; 0 takes any free one. */
  readonly webPort: number;
  /** Of opc.tcp; 0 takes any free one. */
  readonly port: number;
  /** Where the server's certificate is kept, or made at the first start. */
  readonly pkiFolder: string;
}

/** A page and the OPC UA server that it talks to. */
export interface BrowserPage extends AsyncDisposable {
  readonly pageUrl: string;
  readonly server: OpcUaServer;
}

/** Serves a page, and OPC UA for it alone: no page of another origin gets in. */
export async function serveBrowserPage({ pagePort, webPort, port, pkiFolder }: BrowserPageOptions): Promise<BrowserPage> {
  let opcUaUrl = '';
  const pages = await listen(pagePort, (path) => (path === 'server.json' ? JSON.stringify({ url: opcUaUrl }) : undefined));
  const pageUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  const startedAt = performance.now();
  let change: ReturnType<typeof setInterval> | undefined;
  const server = await addOpcUa()
    .addServer({ applicationName: 'Boiler house', port, pki: { folder: pkiFolder }, security: { policies: ['None', 'Basic256Sha256'] } })
    .addHttpsTransport({ port: webPort, allowedOrigins: [pageUrl], sessionless: {} })
    .addNodes((space) => {
      const pressure = space.addVariable({ nodeId: 's=Pressure', browseName: 'Pressure', dataType: 'Double', value: 2 });
      space.addVariable({ nodeId: 's=Setpoint', browseName: 'Setpoint', dataType: 'Double', value: 2, writable: true });
      change = setInterval(() => pressure.setValue(2 + Math.sin((performance.now() - startedAt) / 1500)), CHANGE_EVERY_MS);
    })
    .start();
  opcUaUrl = server.endpointUrls.find((url) => url.startsWith('opc.https:'))?.replace('opc.', '') ?? '';
  return {
    pageUrl,
    server,
    [Symbol.asyncDispose]: async () => {
      clearInterval(change);
      await server.stop();
      pages.closeAllConnections();
      await new Promise((resolve) => pages.close(resolve));
    },
  };
}

async function listen(port: number, dataOf: (path: string) => string | undefined): Promise<Server> {
  const server = createServer((request, response) => answer(request, response, dataOf));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

function answer({ url = '/' }: IncomingMessage, response: ServerResponse, dataOf: (path: string) => string | undefined): void {
  const path = url === '/' ? 'index.html' : url.slice(1);
  const type = Object.hasOwn(files, path) ? files[path] : undefined;
  const data = dataOf(path);
  if (data !== undefined) return void response.writeHead(200, { 'content-type': 'application/json' }).end(data);
  if (type === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY });
  createReadStream(fileURLToPath(new URL(path, PAGE_FOLDER))).pipe(response);
}
