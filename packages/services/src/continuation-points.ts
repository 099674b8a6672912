import type { RandomSource, SessionContext } from '@bulkhead/contracts';

const POINT_BYTES = 16;

/**
 * Where unfinished operations of a Session wait to be continued. A point is an unguessable name; it is good once and only in
 * its Session. A Session that has too many gets BadNoContinuationPoints (OPC 10000-4 §5.9.2).
 */
export class ContinuationPoints<State> {
  readonly #random: RandomSource;
  readonly #maxPerSession: number;
  readonly #bySession: Map<SessionContext, Map<string, State>> = new Map();

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

  /** Whether the Session may have one more. */
  hasRoom(session: SessionContext): boolean {
    return (this.#bySession.get(session)?.size ?? 0) < this.#maxPerSession;
  }

  add(session: SessionContext, state: State): Buffer {
    let points = this.#bySession.get(session);
    if (points === undefined) {
      points = new Map();
      this.#bySession.set(session, points);
    }
    const point = this.#random.bytes(POINT_BYTES);
    points.set(point.toString('latin1'), state);
    return point;
  }

  /** The state behind a point, which is used up; undefined for an unknown one. */
  take(session: SessionContext, point: Uint8Array | null): State | undefined {
    const points = this.#bySession.get(session);
    if (points === undefined || point === null || point.length !== POINT_BYTES) return undefined;
    const key = Buffer.from(point).toString('latin1');
    const state = points.get(key);
    points.delete(key);
    if (points.size === 0) this.#bySession.delete(session);
    return state;
  }

  /** The Session is gone. */
  dropSession(session: SessionContext): void {
    this.#bySession.delete(session);
  }
}
