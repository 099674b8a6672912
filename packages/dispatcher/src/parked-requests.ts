import type { DispatchedRequest } from './dispatched-request.ts';

/** Requests that gave their execution slot back and wait for something to happen. Bounded by stage ParkedRequest. */
export class ParkedRequests {
  readonly #requests: Set<DispatchedRequest> = new Set();
  readonly #releasesExecution: boolean;

  /** @param releasesExecution false keeps the execution slot while a request is parked (`decoupleHeldPublishRequests: false`). */
  constructor(releasesExecution: boolean) {
    this.#releasesExecution = releasesExecution;
  }

  get count(): number {
    return this.#requests.size;
  }

  /**
   * Parks a running request; one that has no ParkedRequest lease, or is parked, stays as it is.
   * @returns whether its execution slot became free.
   */
  park(request: DispatchedRequest): boolean {
    if (request.phase !== 'running' || request.leases.parked === undefined) return false;
    request.phase = 'parked';
    this.#requests.add(request);
    if (!this.#releasesExecution || request.execution === undefined) return false;
    request.execution[Symbol.dispose]();
    request.execution = undefined;
    return true;
  }

  remove(request: DispatchedRequest): void {
    this.#requests.delete(request);
  }
}
