import { connect, type Socket } from 'node:net';
import { HttpsStream } from './https-stream.ts';
import { WssStream } from './wss-stream.ts';

/** What carries MessageChunks. */
export type ChunkSocket = Socket | WssStream | HttpsStream;

/** Begins to connect by the transport of a URL; undefined for opc.tcp, whose sockets differ by what they are for. */
export function webSocketFor(url: string, localAddress: string | undefined): WssStream | HttpsStream | undefined {
  const { protocol, hostname: host, port } = new URL(url);
  const address = { host, port: Number(port), localAddress };
  if (protocol === 'opc.wss:') return new WssStream(address);
  return protocol === 'opc.https:' ? new HttpsStream(address) : undefined;
}

/** Begins to connect. */
export function socketFor(url: string, localAddress: string): ChunkSocket {
  const { hostname: host, port } = new URL(url);
  return webSocketFor(url, localAddress) ?? connect({ host, port: Number(port), localAddress, noDelay: true });
}
