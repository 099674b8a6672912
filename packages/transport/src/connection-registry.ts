import type { SessionContext } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import type { UacpConnection } from './uacp-connection.ts';

/** All connections of a server, over all its listeners. Bounded by stage Connection. */
export class ConnectionRegistry {
  readonly #connections: Set<UacpConnection> = new Set();
  readonly #byChannelId: Map<number, UacpConnection> = new Map();
  /** Open channels that carry no Session. */
  readonly #sessionless: Set<UacpConnection> = new Set();
  readonly #removed: ((connection: UacpConnection) => void)[] = [];

  /** Connections whose transport is not closed yet. */
  get connectionCount(): number {
    return this.#connections.size;
  }

  get openChannelCount(): number {
    return this.#byChannelId.size;
  }

  [Symbol.iterator](): IterableIterator<UacpConnection> {
    return this.#connections.values();
  }

  /** The connection of an open channel. */
  byChannelId(channelId: number): UacpConnection | undefined {
    return this.#byChannelId.get(channelId);
  }

  /**
   * Says which activated Session an open channel carries; unknown channels are ignored.
   * @param session one of them when there are several; undefined for none.
   */
  setSession(channelId: number, session: SessionContext | undefined): void {
    const connection = this.#byChannelId.get(channelId);
    if (connection === undefined) return;
    connection.setSession(session);
    if (session !== undefined) this.#sessionless.delete(connection);
    else this.#sessionless.add(connection);
  }

  add(connection: UacpConnection): void {
    this.#connections.add(connection);
  }

  channelOpened(channelId: number, connection: UacpConnection): void {
    this.#byChannelId.set(channelId, connection);
    this.#sessionless.add(connection);
  }

  channelClosed(channelId: number, connection: UacpConnection): void {
    this.#byChannelId.delete(channelId);
    this.#sessionless.delete(connection);
  }

  /** The transport is closed and its leases are given back. */
  remove(connection: UacpConnection): void {
    if (!this.#connections.delete(connection)) return;
    for (const listener of this.#removed) listener(connection);
  }

  /** @param listener runs after each removal. */
  onRemoved(listener: (connection: UacpConnection) => void): void {
    this.#removed.push(listener);
  }

  /**
   * The channel that is open for the longest time among those that nobody would miss (no Session, nothing unfinished, unsent or
   * unanswered) and whose place `newcomer` could take.
   */
  oldestReclaimable(newcomer: Owner): UacpConnection | undefined {
    let oldest: UacpConnection | undefined;
    for (const connection of this.#sessionless) {
      if (oldest !== undefined && connection.openedAtMs >= oldest.openedAtMs) continue;
      if (connection.isReclaimable && connection.makesRoomFor(newcomer)) oldest = connection;
    }
    return oldest;
  }
}
