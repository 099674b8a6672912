import type { RandomSource, SessionContext } from '@bulkhead/contracts';

const POINT_BYTES = 16;

interface Waiting<State> {
  readonly request: object;
  readonly state: State;
}

/**
 * Where unfinished operations of a Session wait to be continued. A point is an unguessable name; it is good once and only in
 * its Session. A request that needs more than there may be gets BadNoContinuationPoints; those of earlier requests are freed
 * for it, the oldest first (OPC 10000-4 §7.9).
 */
export class ContinuationPoints<State> {
  readonly #random: RandomSource;
  readonly #maxPerSession: number;
  readonly #bySession: Map<SessionContext, Map<string, Waiting<State>>> = new Map();

  constructor(random: RandomSource, maxPerSession: number) {
    this.#random = random;
    this.#maxPerSession = maxPerSession;
  }

  /** Points of all Sessions. */
  get size(): number {
    let count = 0;
    for (const points of this.#bySession.values()) count += points.size;
    return count;
  }

  /**
   * @param request stands for the request that needs the point, to tell it from others; kept as long as the point.
   * @returns the point; undefined when this request has used up all that a Session may have.
   */
  add(session: SessionContext, request: object, state: State): Buffer | undefined {
    let points = this.#bySession.get(session);
    if (points === undefined) {
      points = new Map();
      this.#bySession.set(session, points);
    }
    if (points.size >= this.#maxPerSession && !freeOldest(points, request)) return undefined;
    const point = this.#random.bytes(POINT_BYTES);
    points.set(point.toString('latin1'), { request, state });
    return point;
  }

  /** The state behind a point, which is used up; undefined for an unknown one. */
  take(session: SessionContext, point: Uint8Array | null): State | undefined {
    const points = this.#bySession.get(session);
    if (points === undefined || point === null || point.length !== POINT_BYTES) return undefined;
    const key = Buffer.from(point).toString('latin1');
    const waiting = points.get(key);
    points.delete(key);
    if (points.size === 0) this.#bySession.delete(session);
    return waiting?.state;
  }

  /** The Session is gone. */
  dropSession(session: SessionContext): void {
    this.#bySession.delete(session);
  }
}

/** Frees the oldest point of another request. @returns false when there is none. */
function freeOldest(points: Map<string, Waiting<unknown>>, request: object): boolean {
  for (const [key, waiting] of points) {
    if (waiting.request !== request) return points.delete(key);
  }
  return false;
}
