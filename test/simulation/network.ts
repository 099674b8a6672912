import type { TurnScheduler } from '@bulkhead/contracts';
import { MemoryTransportPair, type SeededRandom } from '@bulkhead/testkit';
import { type Acceptor, ObservedTransport } from './observed-transport.ts';

const FIRST_PORT = 50_000;

/** One connection: what is on its way arrives in order. */
export class Link implements TurnScheduler {
  readonly pair: MemoryTransportPair;
  readonly server: ObservedTransport;
  readonly port: number;
  /** Nothing arrives until this is false again. */
  isStalled = false;
  readonly #tasks: (() => void)[] = [];

  constructor(address: string, port: number, segment: (bytes: Buffer) => readonly Buffer[]) {
    this.port = port;
    this.pair = new MemoryTransportPair(this, { clientAddress: { address, port }, segment });
    this.server = new ObservedTransport(this.pair.server);
  }

  get isDeliverable(): boolean {
    return this.#tasks.length > 0 && !this.isStalled;
  }

  get isOver(): boolean {
    return this.server.state === 'closed' && this.pair.client.isClosed && this.#tasks.length === 0;
  }

  defer(run: () => void): void {
    this.#tasks.push(run);
  }

  deliver(): void {
    this.#tasks.shift()?.();
  }

  /** Both sides lose the connection. */
  cut(): void {
    this.isStalled = false;
    this.pair.client.destroy();
  }
}

/** All connections. Which one gets on next is up to the schedule. */
export class SimulatedNetwork {
  readonly #acceptor: Acceptor;
  readonly #random: SeededRandom;
  readonly #links: Set<Link> = new Set();
  #nextPort = FIRST_PORT;

  /** @param random decides where what is sent gets cut into pieces. */
  constructor(acceptor: Acceptor, random: SeededRandom) {
    this.#acceptor = acceptor;
    this.#random = random;
  }

  /** Connections whose end has not reached both sides. */
  get links(): readonly Link[] {
    return [...this.#links];
  }

  get isBusy(): boolean {
    for (const link of this.#links) if (link.isDeliverable) return true;
    return false;
  }

  /** A peer connects; the server takes it over or refuses it at once. */
  connect(address: string): Link {
    const link = new Link(address, this.#nextPort++, (bytes) => this.#segments(bytes));
    this.#links.add(link);
    link.server.offerTo(this.#acceptor);
    return link;
  }

  /** One thing arrives somewhere. */
  deliver(random: SeededRandom): Link | undefined {
    const ready = this.links.filter((link) => link.isDeliverable);
    if (ready.length === 0) return undefined;
    const link = random.pick(ready);
    link.deliver();
    if (link.isOver) this.#links.delete(link);
    return link;
  }

  #segments(bytes: Buffer): readonly Buffer[] {
    if (bytes.length < 2 || this.#random.nextInt(4) > 0) return [bytes];
    const at = 1 + this.#random.nextInt(bytes.length - 1);
    return [bytes.subarray(0, at), bytes.subarray(at)];
  }
}
