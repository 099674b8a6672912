import { connect } from 'node:net';
import { ClientConnection } from '../client/connection.ts';
import { encodeHello } from '../client/handshake.ts';
import type { MessageChannel } from '../client/message-channel.ts';
import type { ConnectRound } from '../load/connect-load.ts';

/** Addresses to come from, so that ports don't run out. All are loopback. */
const SOURCES = 200;

/** Connects and closes again: TCP, Hello, OpenSecureChannel, CloseSecureChannel. @throws Error when the server refuses. */
export function acceptedRound(url: string, createChannel: () => MessageChannel): ConnectRound {
  return async () => (await ClientConnection.open(url, createChannel())).close();
}

/** Who connects to be refused. */
export interface RefusedCallers {
  /** False: always from 127.0.0.1. */
  readonly fromManyAddresses: boolean;
  /** One in a long while may be let in all the same, and closes at once then. */
  readonly mayBeLetIn: boolean;
}

/** Connects, says Hello and waits to be turned away. @throws Error when the server answers a caller that may not be let in. */
export function refusedRound(url: string, { fromManyAddresses, mayBeLetIn }: RefusedCallers): ConnectRound {
  const { hostname, port } = new URL(url);
  const hello = encodeHello(url);
  let next = 0;
  return () => {
    const localAddress = fromManyAddresses ? `127.0.0.${2 + (next++ % SOURCES)}` : '127.0.0.1';
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress });
      let problem: Error | undefined;
      socket.once('connect', () => socket.write(hello));
      socket.on('data', () => {
        if (!mayBeLetIn) problem = new Error('the server answered a connection that it should have refused');
        socket.destroy();
      });
      // A reset is a refusal; having no port left is not.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') problem = error;
      });
      socket.once('close', () => (problem === undefined ? resolve() : reject(problem)));
    });
  };
}
