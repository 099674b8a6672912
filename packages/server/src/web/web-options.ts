import { isIP } from 'node:net';
import { OptionsError } from '../options-error.ts';

/** The port that HTTP, HTTPS and WebSockets share. */
export interface WebPortSettings {
  /** 0 takes any free one. Default 4843. */
  readonly port?: number;
  /** Address to listen on. Default: that of opc.tcp. */
  readonly host?: string;
  /** PEM of the TLS certificate, with those above it, and of its key. Default: the application's own certificate. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** No TLS, for a proxy in front that ends it: on a loopback address only. Default false. */
  readonly plain?: boolean;
  /** Origins of pages that browsers may use the server from, such as `https://plant.example`; `*` for any. Default none. */
  readonly allowedOrigins?: readonly string[];
  /** From the accepted connection to the head of its first request, TLS included, ms. Default 10 s. */
  readonly startUpTimeoutMs?: number;
  /** TLS handshakes that may begin per second, by turns between callers; others wait. Each costs a signature. Default 100. */
  readonly tlsHandshakesPerSecond?: number;
  /** For the head of each later request, ms. Default 10 s. */
  readonly headersTimeoutMs?: number;
  /** For a whole request, body included, ms. Default 30 s. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may wait for its next request, ms. Default 30 s. */
  readonly keepAliveTimeoutMs?: number;
  /** Most bytes of a request's head. Default 16 KiB. */
  readonly maxHeaderBytes?: number;
}

/** SecureChannels over WebSockets: opc.wss. */
export interface WebSocketSettings {
  /** A peer from which nothing came for this long is pinged, and closed after the same time again, ms. Default 30 s. */
  readonly pingIntervalMs?: number;
}

export type ResolvedWebPort = Required<Omit<WebPortSettings, 'tls'>> & Pick<WebPortSettings, 'tls'>;
export type ResolvedWebSocket = Required<WebSocketSettings>;

const MAX_INT32 = 0x7fffffff;

/** @throws OptionsError naming the option's path. */
export function resolveWebPort(options: WebPortSettings | undefined, defaultHost: string): ResolvedWebPort {
  const { host = defaultHost, plain = false, allowedOrigins = [], tls } = options ?? {};
  if (plain && !isLoopback(host)) throw new OptionsError('webPort.plain', 'false, as others than this machine can reach', host);
  allowedOrigins.forEach((origin, at) => {
    if (!isOrigin(origin)) throw new OptionsError(`webPort.allowedOrigins[${at}]`, 'an origin such as https://plant.example, or *', origin);
  });
  const number = (
    name: Exclude<keyof WebPortSettings, 'host' | 'tls' | 'plain' | 'allowedOrigins'>,
    standard: number,
    min: number,
    max = MAX_INT32,
  ): number => {
    const value = options?.[name] ?? standard;
    if (!Number.isSafeInteger(value) || value < min || value > max)
      throw new OptionsError(`webPort.${name}`, `an integer from ${min} to ${max}`, value);
    return value;
  };
  return {
    port: number('port', 4843, 0, 65_535),
    host,
    plain,
    allowedOrigins,
    ...(tls === undefined ? {} : { tls }),
    startUpTimeoutMs: number('startUpTimeoutMs', 10_000, 1),
    tlsHandshakesPerSecond: number('tlsHandshakesPerSecond', 100, 1),
    headersTimeoutMs: number('headersTimeoutMs', 10_000, 1),
    requestTimeoutMs: number('requestTimeoutMs', 30_000, 1),
    keepAliveTimeoutMs: number('keepAliveTimeoutMs', 30_000, 1),
    maxHeaderBytes: number('maxHeaderBytes', 16 * 1024, 1024, 1024 * 1024),
  };
}

/** @throws OptionsError naming the option's path. */
export function resolveWebSocket({ pingIntervalMs = 30_000 }: WebSocketSettings): ResolvedWebSocket {
  if (Number.isSafeInteger(pingIntervalMs) && pingIntervalMs >= 1 && pingIntervalMs <= MAX_INT32) return { pingIntervalMs };
  throw new OptionsError('webSocket.pingIntervalMs', `an integer from 1 to ${MAX_INT32}`, pingIntervalMs);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isOrigin(origin: string): boolean {
  return origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin.toLowerCase());
}
