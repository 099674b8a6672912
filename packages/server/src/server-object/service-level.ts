/** Of a server that has all there is to give. OPC 10000-4 §6.6.2.4.2. */
export const FULL_SERVICE_LEVEL = 255;
/** Of one that takes no more Sessions: still healthy, as those that are there get everything. Below 200 it would be degraded. */
export const LEAST_SERVICE_LEVEL = 200;

/** Smaller changes are not shown, so that a client that comes and goes doesn't make the level flicker. */
const HYSTERESIS = 5;

/**
 * How much room for Sessions a server has, as a ServiceLevel: the healthy range is there to tell clients where they find most. It is
 * 255 while at most half of the Sessions are in use, and goes down evenly to 200 with all of them.
 */
export class ServiceLevel {
  readonly #maxSessionCount: number;
  #value = FULL_SERVICE_LEVEL;

  constructor(maxSessionCount: number) {
    this.#maxSessionCount = maxSessionCount;
  }

  get value(): number {
    return this.#value;
  }

  /** @returns whether the level changed. Both ends of the range are shown as soon as they are reached. */
  update(sessionCount: number): boolean {
    const level = this.#levelAt(sessionCount);
    const isEnd = level === FULL_SERVICE_LEVEL || level === LEAST_SERVICE_LEVEL;
    if (level === this.#value || (!isEnd && Math.abs(level - this.#value) < HYSTERESIS)) return false;
    this.#value = level;
    return true;
  }

  /** Only a full server has the least level, and only one with little load the full one. */
  #levelAt(sessionCount: number): number {
    const max = this.#maxSessionCount;
    const free = Math.max(0, max - sessionCount);
    if (2 * free >= max) return FULL_SERVICE_LEVEL;
    return Math.min(FULL_SERVICE_LEVEL - 1, LEAST_SERVICE_LEVEL + Math.ceil((2 * free * (FULL_SERVICE_LEVEL - LEAST_SERVICE_LEVEL)) / max));
  }
}
