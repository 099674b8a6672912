import { type Owner, Stage } from '@bulkhead/resource-isolation';
import { type AuditedProvider, nameOf } from './audited-provider.ts';
import type { Findings } from './findings.ts';
import { isEstablishing, type RequestRecord } from './observed-request.ts';
import type { Scheduling } from './options.ts';
import type { Tally } from './tally.ts';

/** A request that waits for its turn, and what competes with it. */
class Wait {
  readonly owner: Owner;
  readonly flow: string;
  /** Weights of the owners that had requests meanwhile. */
  readonly weights: Map<string, number> = new Map();
  /** Sessions of its own owner that had requests meanwhile. */
  readonly flows: Set<string> = new Set();
  /** Turns that others took while it could have started. */
  turns = 0;
  couldStart = true;

  constructor(owner: Owner, flow: string) {
    this.owner = owner;
    this.flow = flow;
  }

  note(record: RequestRecord): void {
    const { owner } = record;
    if (owner === undefined) return;
    this.weights.set(nameOf(owner), owner.weight);
    if (nameOf(owner) === nameOf(this.owner)) this.flows.add(record.flow);
  }

  /**
   * In each round an owner takes turns by its weight, which go round its Sessions; the first round may have begun already.
   * A Session's second request may have to wait for its first.
   */
  get maxTurns(): number {
    const rounds = 1 + Math.ceil(this.flows.size / this.owner.weight);
    let turnsPerRound = 0;
    for (const weight of this.weights.values()) turnsPerRound += weight;
    return rounds * turnsPerRound;
  }
}

/**
 * Counts the turns that polite clients have to wait, and knows how many they may. Says nothing of the time for one turn, nor of
 * how long a request waits for capacity.
 */
export class FairnessWatch {
  readonly #findings: Findings;
  readonly #tally: Tally;
  readonly #provider: AuditedProvider;
  readonly #isByTurns: boolean;
  readonly #politePorts: Set<number> = new Set();
  readonly #waits: Map<RequestRecord, Wait> = new Map();

  /** @param scheduling only with turns that all count the same there is a number of turns to wait. */
  constructor(findings: Findings, tally: Tally, provider: AuditedProvider, scheduling: Scheduling) {
    this.#findings = findings;
    this.#tally = tally;
    this.#provider = provider;
    this.#isByTurns = scheduling === 'turn';
    provider.onExecutionAsked = () => this.#noteWhoCouldStart();
  }

  /** The client on this port sends one request at a time. */
  addPolitePort(port: number): void {
    this.#politePorts.add(port);
  }

  queued(record: RequestRecord, live: Iterable<RequestRecord>): void {
    for (const wait of this.#waits.values()) wait.note(record);
    if (!this.#isByTurns || !this.#politePorts.has(record.incoming.channel.remote.port) || record.owner === undefined) return;
    const wait = new Wait(record.owner, record.flow);
    for (const other of live) if (other.phase !== 'parked') wait.note(other);
    this.#waits.set(record, wait);
  }

  /** It left the queue without a turn, or begins to run. */
  left(record: RequestRecord): void {
    const wait = this.#waits.get(record);
    if (wait === undefined) return;
    this.#waits.delete(record);
    this.#tally.add(wait.turns > 0 ? 'wait for others' : 'wait for nobody');
  }

  /** A request starts with the slot that it has just been given. */
  started(record: RequestRecord): void {
    this.#countTurn(record);
  }

  /** A request goes on with the slot that it has. */
  resumed(record: RequestRecord): void {
    this.#noteWhoCouldStart();
    this.#countTurn(record);
  }

  #noteWhoCouldStart(): void {
    for (const [record, wait] of this.#waits) {
      wait.couldStart = this.#provider.hasRoom(Stage.RequestExecution, wait.owner, 1);
      // It has had its turn then, and waits for a place outside of the turns.
      if (isEstablishing(record.incoming) && !this.#provider.hasRoom(Stage.SessionEstablishment, wait.owner, 1)) this.#waits.delete(record);
    }
  }

  #countTurn(record: RequestRecord): void {
    for (const [waiting, wait] of this.#waits) {
      if (waiting === record || !wait.couldStart || ++wait.turns <= wait.maxTurns) continue;
      this.#waits.delete(waiting);
      this.#findings.report(`${waiting.label} has waited for ${wait.turns} turns of others, of at most ${wait.maxTurns}`);
    }
  }
}
