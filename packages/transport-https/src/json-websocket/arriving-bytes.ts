import { type Lease, type Owner, type ResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';

/** What is taken of the stage at a time: arriving pieces are small, and leases are not free. */
const STEP_BYTES = 16 * 1024;

/**
 * Charges a WebSocket message to stage ReassemblyBytes while it arrives, before its pieces are kept, so that messages which never end
 * can't hold more than the server has for them.
 */
export class ArrivingBytes {
  readonly #provider: ResourceIsolationProvider;
  readonly #owner: Owner;
  #leases: Lease[] = [];
  #chargedBytes = 0;
  #bytes = 0;

  constructor(provider: ResourceIsolationProvider, owner: Owner) {
    this.#provider = provider;
    this.#owner = owner;
  }

  /** @returns false when there is no room for so many bytes more. */
  tryAdd(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes <= this.#chargedBytes) return true;
    const step = Math.max(STEP_BYTES, this.#bytes - this.#chargedBytes);
    const answer = this.#provider.tryAcquire(Stage.ReassemblyBytes, this.#owner, step);
    if (answer.kind === 'refusal') return false;
    this.#leases.push(answer);
    this.#chargedBytes += step;
    return true;
  }

  /** The message is complete: from now on it is charged what it is long. @returns undefined when there is no room even for that. */
  take(messageBytes: number): Lease | undefined {
    this.release();
    const answer = this.#provider.tryAcquire(Stage.ReassemblyBytes, this.#owner, Math.max(1, messageBytes));
    return answer.kind === 'refusal' ? undefined : answer;
  }

  /** Gives back what is charged. Idempotent. */
  release(): void {
    const leases = this.#leases;
    this.#leases = [];
    this.#chargedBytes = 0;
    this.#bytes = 0;
    for (const lease of leases) lease[Symbol.dispose]();
  }
}
