import type { Clock } from '@bulkhead/contracts';
import { type Lease, type Owner, type Refusal, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';

/** Bounds how many connections per second are let in; a token bucket, mostly. */
export interface ConnectionRateGate {
  /** @param owner whose connection it is, as far as it is known before anything is authenticated. */
  tryAdmit(nowMs: number, owner: Owner): boolean;
}

/** A connection was turned away by the rate gate. */
export interface RateRefusal {
  readonly kind: 'refusal';
  readonly stage: undefined;
  readonly reason: 'RateLimit';
}

/** What an admitted connection holds. */
export class ConnectionLeases {
  readonly kind = 'leases' as const;
  readonly owner: Owner;
  readonly #connection: Lease;
  #handshake: Lease | undefined;
  #isWorking = false;

  constructor(owner: Owner, connection: Lease, handshake: Lease) {
    this.owner = owner;
    this.#connection = connection;
    this.#handshake = handshake;
  }

  /** Whether ending this connection would make room for one of `newcomer`: what fills another's reserve is of no use to it. */
  makesRoomFor(newcomer: Owner): boolean {
    return this.#connection.isShared !== false || isSameReserve(this.owner, newcomer);
  }

  /** A renewal holds a handshake again until it is answered. */
  holdHandshake(lease: Lease): void {
    this.#handshake = lease;
  }

  /** An OPN is being worked on: its handshake is held until that ends, even if the connection is closed meanwhile. */
  beginWork(): void {
    this.#isWorking = true;
  }

  /** The work ended, or is not waited for any longer. Idempotent. */
  endWork(): void {
    this.#isWorking = false;
    this.endHandshake();
  }

  /** The connection ends. Whoever closes it during the work could otherwise have any amount of it done. Idempotent. */
  endHandshake(): void {
    if (this.#isWorking) return;
    this.#handshake?.[Symbol.dispose]();
    this.#handshake = undefined;
  }

  /** The transport is really closed. Gives everything back, newest first, but what `beginWork` keeps. Idempotent. */
  endConnection(): void {
    this.endHandshake();
    this.#connection[Symbol.dispose]();
  }
}

/** What a newcomer holds while room is made for it. */
export interface NewcomerLease {
  readonly kind: 'newcomer';
  readonly owner: Owner;
  readonly handshake: Lease;
}

function isSameReserve(a: Owner, b: Owner): boolean {
  return a.ownerClass === b.ownerClass && (a.ownerClass !== 'Trusted' || a.key === b.key);
}

/** The one place that asks for stages Connection and Handshake, before anything of a connection exists. */
export class ConnectionAdmission {
  readonly #provider: ResourceIsolationProvider;
  readonly #clock: Clock;
  readonly #rateGate: ConnectionRateGate | undefined;

  constructor(provider: ResourceIsolationProvider, clock: Clock, rateGate: ConnectionRateGate | undefined) {
    this.#provider = provider;
    this.#clock = clock;
    this.#rateGate = rateGate;
  }

  /** Whose connection it will be. */
  ownerOf(address: string): Owner {
    return this.#provider.classifyIngress(address);
  }

  /**
   * Asked at most once per accepted transport, and only for a caller that is within its own limits: nobody spends a token on what
   * is refused anyway, and nobody is reclaimed for somebody who comes too fast.
   */
  checkRate(owner: Owner): RateRefusal | undefined {
    if (this.#rateGate === undefined || this.#rateGate.tryAdmit(this.#clock.nowMs(), owner)) return undefined;
    return { kind: 'refusal', stage: undefined, reason: 'RateLimit' };
  }

  /** Both stages or nothing. */
  tryAdmit(owner: Owner): ConnectionLeases | Refusal {
    const connection = this.#provider.tryAcquire(Stage.Connection, owner, 1);
    if (connection.kind === 'refusal') return connection;
    const handshake = this.#provider.tryAcquire(Stage.Handshake, owner, 1);
    if (handshake.kind === 'lease') return new ConnectionLeases(owner, connection, handshake);
    connection[Symbol.dispose]();
    return handshake;
  }

  /** Both stages and a token of the rate gate, or nothing. */
  tryAdmitAtRate(owner: Owner): ConnectionLeases | Refusal | RateRefusal {
    const answer = this.tryAdmit(owner);
    if (answer.kind === 'refusal') return answer;
    const rate = this.checkRate(owner);
    if (rate !== undefined) answer.endConnection();
    return rate ?? answer;
  }

  /** A newcomer that finds the server full takes its handshake before room is made: without one, a channel would be closed in vain. */
  tryWait(owner: Owner): NewcomerLease | Refusal {
    const handshake = this.#provider.tryAcquire(Stage.Handshake, owner, 1);
    return handshake.kind === 'lease' ? { kind: 'newcomer', owner, handshake } : handshake;
  }

  /** The newcomer keeps its handshake when it is refused. */
  tryAdmitNewcomer({ owner, handshake }: NewcomerLease): ConnectionLeases | Refusal {
    const connection = this.#provider.tryAcquire(Stage.Connection, owner, 1);
    return connection.kind === 'lease' ? new ConnectionLeases(owner, connection, handshake) : connection;
  }

  /** True when connections as such are full, rather than handshakes. */
  isForConnection(refusal: Refusal | RateRefusal): refusal is Refusal {
    return refusal.stage === Stage.Connection;
  }

  /** An open channel asks for a new token. */
  tryRenew(owner: Owner): Lease | Refusal {
    return this.#provider.tryAcquire(Stage.Handshake, owner, 1);
  }
}
