import { z } from 'zod';
import { flag, integer, milliseconds, section, text, texts } from './member.ts';

const MAX_PORT = 65_535;

export const port = integer('Port of opc.tcp; 0 takes any free one.', { min: 0, max: MAX_PORT });

export const webPort = integer('Port of opc.wss and opc.https; 0 takes any free one.', { min: 0, max: MAX_PORT, standard: '`port` + 3' });

export const web = section('The port that opc.wss and opc.https share.', {
  host: text('Address to listen on.', 253, { standard: '`host`' }),
  certificateFile: text('PEM of the TLS certificate, with those above it; read again at a reload.', 4096, {
    standard: "the server's own certificate",
  }),
  privateKeyFile: text('PEM of its key.', 4096, { standard: "the server's own key" }),
  plain: flag('No TLS, for a proxy in front that ends it: on a loopback address only.'),
  allowedOrigins: texts('Origins of pages that browsers may use the server from; `*` for any.', 1000, { standard: 'none' }),
  startUpTimeoutMs: milliseconds('From the accepted connection to the head of its first request, TLS included.'),
  headersTimeoutMs: milliseconds('For the head of each later request.'),
  requestTimeoutMs: milliseconds('For a whole request.'),
  keepAliveTimeoutMs: milliseconds('How long a connection may wait for its next request.'),
  tlsHandshakesPerSecond: integer('TLS handshakes that may begin per second, by turns between callers.', { unit: 'per second' }),
  maxHeaderBytes: integer("Most bytes of a request's head.", { min: 1024, max: 1024 * 1024, unit: 'bytes' }),
});

export const webSocket = section('SecureChannels over WebSockets: opc.wss.', {
  enabled: flag('Serves it.'),
  pingIntervalMs: milliseconds('A peer from which nothing came for this long is pinged, then closed.'),
});

const sessionless = section('Requests without a Session.', {
  enabled: flag('Serves them.'),
  allowAnonymous: flag('Anonymous users may ask.', { standard: '`allowAnonymous`' }),
  maxRequests: integer('Such requests on their way.', { max: 1_000_000, unit: 'requests' }),
  maxRequestsPerConnection: integer('The same on one connection.', { max: 1_000_000, unit: 'requests' }),
});

const httpsRateLimits = section('Requests per second, whatever is in them. Not bounded unless this is given.', {
  requestsPerWindow: integer('Of everybody together.', { max: 1_000_000_000, unit: 'requests' }),
  windowMs: milliseconds('The window.', { max: 3_600_000 }),
  routes: z
    .record(z.string().regex(/^\//u), z.int().min(1).max(1_000_000_000))
    .meta({ description: 'Per window and route, such as `{"/read": 20}`.', unit: 'requests', standard: 'not limited' }),
  requestsPerClient: integer('Of one client, by its address.', { max: 1_000_000_000, unit: 'requests', standard: 'not limited' }),
  maxClients: integer('Clients that are counted at a time.', { max: 2 ** 24, unit: 'clients' }),
});

export const https = section('OPC UA over HTTPS.', {
  enabled: flag('Serves it.'),
  path: text('Where requests may be posted to beside `/`.', 256, { standard: 'nowhere else' }),
  json: flag('Speaks JSON too.'),
  maxRequestsPerConnection: integer('Requests on their way on one connection.', { unit: 'requests' }),
  maxRequestsPerWebSocket: integer('The same on one WebSocket that speaks JSON.', { unit: 'requests' }),
  maxJsonBodyBytes: integer('Largest body in JSON.', { unit: 'bytes', standard: '1 MiB, or `maxMessageSize` if that is less' }),
  sessionless,
  rateLimits: httpsRateLimits,
});

export const proxies = section('Proxies and load balancers in front.', {
  trusted: texts("Addresses and networks whose word about a client's address is taken.", 1000, { standard: 'none' }),
  proxyProtocol: flag('Their connections to opc.tcp begin with a header of the PROXY protocol.'),
  headerTimeoutMs: milliseconds('From the accepted connection to the complete header.', {
    standard: '2 s, or `limits.helloTimeoutMs` if that is less',
  }),
  maxWaitingConnections: integer('Connections that may wait for their header.', { unit: 'connections' }),
});

export const reverseConnect = z
  .array(
    z.strictObject({
      clientUrl: text('Where the client listens: `opc.tcp://host:port`.'),
      retryMs: milliseconds('First delay after a failure.').optional(),
      maxRetryMs: milliseconds('Longest delay.').optional(),
    }),
  )
  .max(1000)
  .meta({ description: 'Clients to connect to.', standard: 'none' });
