import { setTimeout as sleep } from 'node:timers/promises';
import { AttributeIds, type NodeId, QualifiedName, ReadRequest, ReadResponse, TimestampsToReturn } from '@bulkhead/types';
import { ClientConnection } from '../client/connection.ts';
import { PlainChannel } from '../client/plain-channel.ts';
import { ClientSession } from '../client/session.ts';
import { LatencyHistogram } from '../latency-histogram.ts';

/** Between an answer and the next question. */
const PAUSE_MS = 2;

/** What a client met. */
export interface PoliteOutcome {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly answers: number;
  readonly errors: readonly string[];
}

/** Reads one value at a time, with a short pause in between, in one Session. */
export class PoliteClient {
  readonly latency: LatencyHistogram = new LatencyHistogram();
  readonly errors: string[] = [];
  maxMs = 0;
  /** Called after each Read. */
  onAnswer: (() => void) | undefined;
  readonly #session: ClientSession;
  readonly #nodes: readonly NodeId[];
  #isStopped = false;
  #work: Promise<void> | undefined;

  private constructor(session: ClientSession, nodes: readonly NodeId[]) {
    this.#session = session;
    this.#nodes = nodes;
  }

  static async connect(url: string, localAddress: string, nodes: readonly NodeId[]): Promise<PoliteClient> {
    const connection = await ClientConnection.open(url, new PlainChannel(), localAddress);
    return new PoliteClient(await ClientSession.open(connection, undefined), nodes);
  }

  get outcome(): PoliteOutcome {
    const { latency, maxMs, errors } = this;
    return { p50Ms: latency.quantileMs(0.5), p99Ms: latency.quantileMs(0.99), maxMs, answers: latency.count, errors: [...errors] };
  }

  start(): void {
    this.#work = this.#readOn();
  }

  /** Waits for the last answer and closes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
    await this.#session.close().catch((error: unknown) => this.errors.push((error as Error).message));
  }

  /** One Read. @throws Error unless it has a good value. */
  async read(round: number): Promise<void> {
    const nodeId = this.#nodes[round % this.#nodes.length] as NodeId;
    const response = await this.#session.call(ReadRequest, ReadResponse, {
      maxAge: 0,
      timestampsToReturn: TimestampsToReturn.Both,
      nodesToRead: [{ nodeId, attributeId: AttributeIds.Value, indexRange: null, dataEncoding: QualifiedName.NULL }],
    });
    if (response.results?.[0]?.statusCode !== 0) throw new Error(`a value is not good: ${response.results?.[0]?.statusCode}`);
  }

  async #readOn(): Promise<void> {
    for (let round = 0; !this.#isStopped; round++) {
      const startMs = performance.now();
      try {
        await this.read(round);
      } catch (error) {
        this.errors.push((error as Error).message);
        // A connection that is gone fails at once.
        await sleep(PAUSE_MS);
      }
      const elapsedMs = performance.now() - startMs;
      this.latency.record(elapsedMs);
      this.maxMs = Math.max(this.maxMs, elapsedMs);
      this.onAnswer?.();
      await sleep(PAUSE_MS);
    }
  }
}
