import type { EstablishingService, SessionGate } from '@bulkhead/contracts';
import type { Owner, Refusal } from '@bulkhead/resource-isolation';
import type { DispatchedRequest } from './dispatched-request.ts';

/** What happens to requests that waited. */
export interface SessionWaitersHost {
  /** The request has its place, and is to have its turn next. */
  admit(request: DispatchedRequest): void;
  /** Nobody is left whose end could make room. */
  refuse(request: DispatchedRequest, refusal: Refusal): void;
  fail(request: DispatchedRequest, error: unknown): void;
  /** Ends the request when its timeoutHint passes. */
  watchDeadline(request: DispatchedRequest): void;
}

/**
 * CreateSession and ActivateSession requests that wait for a place of the `SessionGate`, outside of the turns, so that they hold up
 * nobody. They keep what it takes to wait in the queue and have no execution slot. A place that comes free goes to the one that has
 * waited longest of those that may have it.
 */
export class SessionWaiters {
  readonly #gate: SessionGate | undefined;
  readonly #limit: number;
  readonly #host: SessionWaitersHost;
  /** In the order in which their turn came. */
  readonly #waiting: Set<DispatchedRequest> = new Set();

  constructor(gate: SessionGate | undefined, limit: number, host: SessionWaitersHost) {
    this.#gate = gate;
    this.#limit = limit;
    this.#host = host;
    gate?.onPlaceFreed(() => this.serve());
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Takes a place for a request whose turn it is, if it needs one. @returns why there is none. @throws what the gate throws. */
  enter(request: DispatchedRequest): Refusal | undefined {
    const gate = this.#gate;
    const { gate: service } = request.service;
    if (gate === undefined || service === undefined || request.place !== undefined) return undefined;
    const answer = gate.enter(gate.ownerOf(service, request.channel, request.header));
    if (answer.kind === 'refusal') return answer;
    request.place = answer;
    return undefined;
  }

  /**
   * Whether a refused request may wait: as long as there is room to wait, and a place in use whose end will be told. Who is over a
   * limit of its own may not, so that it takes no room from others.
   */
  mayWait({ reason }: Refusal): boolean {
    return reason === 'Capacity' && this.#waiting.size < this.#limit && (this.#gate?.placesInUse ?? 0) > 0;
  }

  /** @param request was taken out of the queue. */
  add(request: DispatchedRequest): void {
    request.phase = 'waiting';
    this.#waiting.add(request);
    this.#host.watchDeadline(request);
  }

  remove(request: DispatchedRequest): void {
    this.#waiting.delete(request);
  }

  /** Gives what is free to those that wait. A refusal holds back only those that would be refused for the same reason. */
  serve(): void {
    const gate = this.#gate;
    if (gate === undefined) return;
    const refused = new Set<string>();
    for (const request of this.#waiting) {
      // Nobody would take the answer of one whose channel is held back.
      if (request.origin.flow.isSuspended) continue;
      try {
        this.#serve(gate, request, refused);
      } catch (error) {
        this.#host.fail(request, error);
      }
    }
  }

  #serve(gate: SessionGate, request: DispatchedRequest, refused: Set<string>): void {
    const owner = gate.ownerOf(request.service.gate as EstablishingService, request.channel, request.header);
    if (refused.has(ownerKey(owner)) || refused.has(poolKey(owner))) return;
    const answer = gate.enter(owner);
    if (answer.kind === 'lease') {
      request.place = answer;
      this.#waiting.delete(request);
      this.#host.admit(request);
    } else if (gate.placesInUse === 0) this.#host.refuse(request, answer);
    else refused.add(answer.reason === 'Capacity' ? poolKey(owner) : ownerKey(owner));
  }
}

/** Who has a limit of its own. */
function ownerKey({ ownerClass, key }: Owner): string {
  return `owner ${ownerClass} ${key}`;
}

/** Who finds the same capacity: a reserve, or what all share. */
function poolKey(owner: Owner): string {
  return owner.ownerClass === 'Trusted' ? `pool ${owner.key}` : `pool ${owner.work ?? owner.ownerClass}`;
}
