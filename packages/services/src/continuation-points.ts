import type { RandomSource, RetainedBytesAccount, RetainedBytesAccounts, SessionContext } from '@bulkhead/contracts';

const POINT_BYTES = 16;
/** What one point keeps alive: its name, the request, how far it has come. Results are not kept. */
const RETAINED_BYTES_PER_POINT = 1024;

/** Whose memory points take. */
export interface ContinuationPointAccounts {
  readonly accounts: RetainedBytesAccounts;
  readonly ownerKeyOf: (session: SessionContext) => string;
}

interface Waiting<State> {
  readonly request: object;
  readonly state: State;
}

/** The points of one Session, charged to the owner that it had when the first of them was made. */
interface SessionPoints<State> {
  readonly waiting: Map<string, Waiting<State>>;
  readonly account: RetainedBytesAccount | undefined;
}

/**
 * Where unfinished operations of a Session wait to be continued. A point is an unguessable name; it is good once and only in
 * its Session. A request that needs more than there may be gets BadNoContinuationPoints; those of earlier requests are freed
 * for it, the oldest first (OPC 10000-4 §7.9).
 */
export class ContinuationPoints<State> {
  readonly #random: RandomSource;
  readonly #maxPerSession: number;
  readonly #retained: ContinuationPointAccounts | undefined;
  readonly #bySession: Map<SessionContext, SessionPoints<State>> = new Map();

  /** @param retained without it, nobody counts what points keep alive. */
  constructor(random: RandomSource, maxPerSession: number, retained?: ContinuationPointAccounts) {
    this.#random = random;
    this.#maxPerSession = maxPerSession;
    this.#retained = retained;
  }

  /** Points of all Sessions. */
  get size(): number {
    let count = 0;
    for (const { waiting } of this.#bySession.values()) count += waiting.size;
    return count;
  }

  /**
   * @param request stands for the request that needs the point, to tell it from others; kept as long as the point.
   * @returns the point; undefined when this request has used up all that a Session may have, or the caller has no memory left.
   */
  add(session: SessionContext, request: object, state: State): Buffer | undefined {
    const points = this.#bySession.get(session) ?? this.#open(session);
    const { waiting, account } = points;
    const hasRoom = waiting.size < this.#maxPerSession && account?.tryCharge(RETAINED_BYTES_PER_POINT) !== false;
    // The one that is freed for it makes room for both limits.
    if (!hasRoom && !freeOldest(waiting, request)) {
      this.#closeIfEmpty(session, points);
      return undefined;
    }
    const point = this.#random.bytes(POINT_BYTES);
    waiting.set(point.toString('latin1'), { request, state });
    return point;
  }

  /** The state behind a point, which is used up; undefined for an unknown one. */
  take(session: SessionContext, point: Uint8Array | null): State | undefined {
    const points = this.#bySession.get(session);
    if (points === undefined || point === null || point.length !== POINT_BYTES) return undefined;
    const key = Buffer.from(point).toString('latin1');
    const found = points.waiting.get(key);
    if (points.waiting.delete(key)) points.account?.release(RETAINED_BYTES_PER_POINT);
    this.#closeIfEmpty(session, points);
    return found?.state;
  }

  /** The Session is gone. */
  dropSession(session: SessionContext): void {
    this.#bySession.get(session)?.account?.[Symbol.dispose]();
    this.#bySession.delete(session);
  }

  #open(session: SessionContext): SessionPoints<State> {
    const account = this.#retained?.accounts.open(this.#retained.ownerKeyOf(session));
    const points: SessionPoints<State> = { waiting: new Map(), account };
    this.#bySession.set(session, points);
    return points;
  }

  #closeIfEmpty(session: SessionContext, { waiting }: SessionPoints<State>): void {
    if (waiting.size === 0) this.dropSession(session);
  }
}

/** Frees the oldest point of another request. @returns false when there is none. */
function freeOldest(points: Map<string, Waiting<unknown>>, request: object): boolean {
  for (const [key, waiting] of points) {
    if (waiting.request !== request) return points.delete(key);
  }
  return false;
}
