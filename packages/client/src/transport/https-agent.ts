import { Agent, type ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connectSocket, type TlsTrust } from './connect-socket.ts';
import type { EndpointAddress } from './endpoint-url.ts';

/** A connection that waits longer for its next request is closed: sooner than any server would, so that none closes under a request. */
const IDLE_TIMEOUT_MS = 4000;
/** Each request that waits for its answer, such as a Publish, has a connection for itself. */
const MAX_SOCKETS = 32;

export interface HttpsAgentOptions {
  readonly endpointUrl: string;
  readonly address: EndpointAddress;
  readonly localAddress: string | undefined;
  /** With TLS; undefined for none. */
  readonly trust: TlsTrust | undefined;
  /** For connecting, ms. */
  readonly connectTimeoutMs: number;
}

type SocketCallback = (error: Error | null, socket: Duplex) => void;

/** The connections to one server: kept and used again, each one's certificate checked before anything is sent. */
export class HttpsAgent extends Agent {
  readonly #options: HttpsAgentOptions;
  readonly #abort = new AbortController();

  constructor(options: HttpsAgentOptions) {
    super({ keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_SOCKETS, timeout: IDLE_TIMEOUT_MS });
    this.#options = options;
  }

  override createConnection(_options: ClientRequestArgs, callback?: SocketCallback): undefined {
    void this.#connect(callback);
    return undefined;
  }

  async #connect(callback: SocketCallback | undefined): Promise<void> {
    const { endpointUrl, address, localAddress, trust, connectTimeoutMs } = this.#options;
    const { host, port } = address;
    const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(connectTimeoutMs)]);
    let socket: Socket;
    try {
      socket = await connectSocket({ endpointUrl, host, port, localAddress, trust }, signal);
    } catch (error) {
      return callback?.(error as Error, undefined as never);
    }
    callback?.(null, socket);
  }

  /** Closes everything, also what is being connected. Idempotent. */
  override destroy(): void {
    this.#abort.abort();
    super.destroy();
  }
}
