import type { Socket } from 'node:net';
import type { RemoteAddress, Runtime } from '@bulkhead/contracts';
import { IpNetwork, parseIpAddress } from '@bulkhead/limits';
import type { ProxyHeaders } from '@bulkhead/transport';
import { type ProxyHeaderRefusal, WaitingForHeader } from './waiting-for-header.ts';

export interface ProxyHeaderGateOptions {
  /** Addresses and networks of proxies whose word about a client is taken, at least one. */
  readonly trustedProxies: readonly string[];
  /** From the accepted socket to the complete header, ms. */
  readonly headerTimeoutMs: number;
  /** Sockets that may wait for their header at a time; for one more, the one that has waited longest is cut. */
  readonly maxWaitingConnections: number;
  readonly runtime: Pick<Runtime, 'timers' | 'log'>;
}

/**
 * Reads the headers of the PROXY protocol with which trusted proxies begin their connections, before anything is charged to anybody.
 * For any listener of sockets, whatever comes after the header: opc.tcp, TLS or HTTP.
 */
export class ProxyHeaderGate implements ProxyHeaders {
  readonly #options: ProxyHeaderGateOptions;
  readonly #trusted: readonly IpNetwork[];
  readonly #waiting: Set<WaitingForHeader> = new Set();

  /** @throws RangeError for what is no address or network. */
  constructor(options: ProxyHeaderGateOptions) {
    this.#options = options;
    this.#trusted = options.trustedProxies.map((text) => new IpNetwork(text));
  }

  /** Whether a peer's connections begin with a header. Nobody else's word about an address is ever taken. */
  isProxy(address: string): boolean {
    const parsed = parseIpAddress(address);
    return parsed !== undefined && this.#trusted.some((network) => network.contains(parsed));
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /**
   * Reads the header of a socket that was just accepted from a proxy, and destroys the socket if there is none in time.
   * @param done gets the client's address, the proxy's own if it speaks for itself. The socket is paused then and gives what followed
   * the header first. Not called when the socket ends before.
   */
  read(socket: Socket, proxy: RemoteAddress, done: (remote: RemoteAddress) => void): void {
    const { maxWaitingConnections, headerTimeoutMs, runtime } = this.#options;
    const [oldest] = this.#waiting;
    if (this.#waiting.size >= maxWaitingConnections) oldest?.refuse('crowdedOut');
    const waiting = new WaitingForHeader(socket, {
      header: (source) => done(source ?? proxy),
      refused: (reason) => this.#logRefusal(proxy, reason),
      ended: () => this.#waiting.delete(waiting),
    });
    this.#waiting.add(waiting);
    waiting.start(runtime.timers.after(headerTimeoutMs, () => waiting.refuse('late')));
  }

  #logRefusal(proxy: RemoteAddress, reason: ProxyHeaderRefusal): void {
    const { log } = this.#options.runtime;
    if (log.isEnabled('info')) log.log('info', 'proxyHeader.refused', { proxy: proxy.address, reason });
  }
}
