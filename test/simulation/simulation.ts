import type { CertificateStore } from '@bulkhead/security';
import type { SeededRandom } from '@bulkhead/testkit';
import { hog, opener, slowReader } from './greedy-clients.ts';
import { halfSender } from './half-sender.ts';
import { checkInvariants, checkNothingLeft } from './invariants.ts';
import { type ClientKind, optionsOf, type SimulationOptions } from './options.ts';
import type { PlantedFault } from './planted-faults.ts';
import { reconnector, witness } from './polite-clients.ts';
import { SimulatedClient } from './simulated-client.ts';
import { Stream, streamOf } from './streams.ts';
import { subscriber } from './subscriber.ts';
import type { Tally } from './tally.ts';
import { World } from './world.ts';

const scripts: Readonly<Record<ClientKind, (client: SimulatedClient) => Promise<void>>> = {
  witness,
  hog,
  reconnector,
  halfSender,
  slowReader,
  opener,
  subscriber,
};

/** What came of a run. */
export interface SimulationResult {
  readonly traceHash: string;
  readonly eventCount: number;
  readonly tally: Tally;
}

/** Events after which everybody must have left. */
const MOST_EVENTS = 60_000;
/** Virtual time in which witnesses must be served once the faults are over, and everything must be gone. */
const REST_WITHIN_MS = 120_000;
/** A turn may last as long as the slices for reading and for working together, and two operations too long for them. */
const SLICES_MS = 10;
const OPERATIONS_PER_LOOK = 16;
/** Looks at the clock in one turn that no operation makes. */
const LOOKS_PER_TURN = 1000;
const LONGEST_JUMP_MS = 12_000;

/**
 * Runs the simulation that `seed` stands for.
 * @param fault something to find.
 * @throws Error with findings, options and the last events.
 */
export async function simulate(seed: number, store: CertificateStore, fault?: PlantedFault): Promise<SimulationResult> {
  const options = optionsOf(seed);
  const world = await World.create(options, store, fault);
  try {
    return await new Simulation(world).run();
  } catch (error) {
    throw new Error(failureText(options, world, error), { cause: error });
  }
}

function failureText(options: SimulationOptions, { trace }: World, error: unknown): string {
  return [
    `seed ${options.seed}: ${error instanceof Error ? error.message : String(error)}`,
    `again: node scripts/task.mjs simulate --seeds 1 --from ${options.seed}`,
    `options: ${JSON.stringify(options)}`,
    `last events of ${trace.lineCount}:`,
    ...trace.recent().map((line) => `  ${line}`),
  ].join('\n');
}

/** One run, event by event. */
class Simulation {
  readonly #world: World;
  readonly #random: SeededRandom;
  #eventCount = 0;

  constructor(world: World) {
    this.#world = world;
    this.#random = streamOf(world.options.seed, Stream.schedule);
  }

  async run(): Promise<SimulationResult> {
    const { options, findings } = this.#world;
    this.#tellOptions();
    this.#startClients();
    for (let i = 0; i < options.eventCount; i++) {
      await this.#busyEvent();
      this.#maybeFault();
    }
    for (const link of this.#world.network.links) link.isStalled = false;
    await (options.end === 'shutdown' ? this.#shutDown() : this.#letClientsLeave());
    checkNothingLeft(this.#world);
    findings.throwIfAny();
    const { trace, server, tally } = this.#world;
    const { closed, refused } = server.parts.connections.diagnostics;
    for (const [reason, count] of Object.entries(closed)) if (count > 0) tally.add(`closed ${reason}`, count);
    for (const [reason, count] of Object.entries(refused)) if (count > 0) tally.add(`connection refused ${reason}`, count);
    return { traceHash: trace.hash, eventCount: this.#eventCount, tally };
  }

  #tellOptions(): void {
    const { options, tally } = this.#world;
    tally.add(`mode ${options.mode}`);
    tally.add(`scheduling ${options.scheduling}`);
    tally.add(`end ${options.end}`);
    for (const { kind } of options.clients) tally.add(`client ${kind}`);
    for (const { standing } of options.mapped) tally.add(`standing ${standing}`);
  }

  #startClients(): void {
    const { options, actors, findings } = this.#world;
    for (const [index, clientOptions] of options.clients.entries()) {
      const client = new SimulatedClient(this.#world, clientOptions, index, streamOf(options.seed, Stream.firstClient + index));
      actors.start(
        () => scripts[clientOptions.kind](client),
        (error) => findings.report(`${client.name} failed: ${error instanceof Error ? error.stack : String(error)}`),
      );
    }
  }

  async #shutDown(): Promise<void> {
    const world = this.#world;
    world.trace.add('shutdown');
    world.isStopping = true;
    let isStopped = false;
    void world.server.stop().then(() => {
      isStopped = true;
    });
    world.actors.letAllLeave();
    await this.#restUntil(() => isStopped && this.#isEverybodyGone(), 'the server stops');
  }

  async #letClientsLeave(): Promise<void> {
    const world = this.#world;
    world.trace.add('the faults are over');
    world.actors.letAllLeave();
    await this.#restUntil(() => world.actors.running === 0, 'witnesses are served and everybody leaves');
    await this.#restUntil(() => this.#isEverybodyGone(), 'what is left behind is gone');
    void world.server.stop();
  }

  #isEverybodyGone(): boolean {
    const { actors, network, clock } = this.#world;
    return actors.running === 0 && network.links.length === 0 && clock.pendingTimers === 0;
  }

  /** Lets everything go on until nothing moves, time included, and `isDone`. */
  async #restUntil(isDone: () => boolean, what: string): Promise<void> {
    const { clock, network, server, findings } = this.#world;
    const deadlineMs = clock.nowMs() + REST_WITHIN_MS;
    await this.#event('rest', () => undefined); // clients act on what they were told
    for (;;) {
      if (network.isBusy || server.turns.pending > 0) await this.#moveOn();
      else if (isDone()) return;
      else if (clock.nextTimerMs === undefined || clock.nowMs() > deadlineMs || this.#eventCount > MOST_EVENTS) {
        this.#explainUnrest(what);
        findings.throwIfAny();
      } else await this.#event('time', () => clock.advance(Math.max(0, (clock.nextTimerMs ?? 0) - clock.nowMs())));
    }
  }

  #explainUnrest(what: string): void {
    const { findings, connections, clock } = this.#world;
    const open = [...connections].filter(({ isClosed }) => !isClosed);
    const unanswered = open.map(({ link, openServices }) => `port ${link.port} awaits [${openServices.join(', ')}]`);
    findings.report(`in vain it was awaited that ${what}; ${clock.pendingTimers} timers; ${unanswered.join('; ')}`);
  }

  async #moveOn(): Promise<void> {
    const { network, server } = this.#world;
    if (network.isBusy && (server.turns.pending === 0 || this.#random.nextBoolean())) await this.#deliver();
    else await this.#turn();
  }

  async #busyEvent(): Promise<void> {
    const { network, server, actors } = this.#world;
    const choice = this.#random.nextInt(100);
    if (choice < 40 && network.isBusy) return this.#deliver();
    if (choice < 65 && server.turns.pending > 0) return this.#turn();
    if (choice < 80 && actors.isAnyWaiting) return this.#event('act', () => actors.letOneAct(this.#random));
    if (choice < 88) return this.#event('change', () => server.nodes.change());
    if (choice < 94) return this.#passTime(this.#random.nextInt(3));
    return this.#passTime(this.#random.nextInt(150));
  }

  #deliver(): Promise<void> {
    return this.#event('deliver', () => {
      const link = this.#world.network.deliver(this.#random);
      this.#world.trace.add(`port ${link?.port} ${link?.server.state}`);
    });
  }

  async #turn(): Promise<void> {
    const { server, options, findings } = this.#world;
    const { clock, turns } = server;
    const startedMs = clock.nowMs();
    await this.#event('turn', () => turns.runTurn());
    const tookMs = clock.nowMs() - startedMs;
    // Both a request that starts last and one that goes on may be at work when the slice ends.
    const mostMs = SLICES_MS + 2 * OPERATIONS_PER_LOOK * options.readCostMs + LOOKS_PER_TURN * options.lookMs;
    if (tookMs > mostMs) findings.report(`a turn took ${tookMs} ms, at most ${mostMs} are allowed`);
  }

  #passTime(ms: number): Promise<void> {
    return this.#event('time', () => this.#world.clock.advance(ms));
  }

  #maybeFault(): void {
    const { options, network, server, trace, tally } = this.#world;
    const random = this.#random;
    const happens = (fault: keyof typeof options.faults): boolean => {
      const oncePerEvents = options.faults[fault];
      if (oncePerEvents === 0 || random.nextInt(oncePerEvents) > 0) return false;
      tally.add(`fault ${fault}`);
      return true;
    };
    const { links } = network;
    if (happens('cut') && links.length > 0) random.pick(links).cut();
    if (happens('stall') && links.length > 0) {
      const link = random.pick(links);
      link.isStalled = !link.isStalled;
    }
    if (happens('clockJump')) server.clock.elapse(random.nextInt(LONGEST_JUMP_MS));
    if (happens('wallClockStep')) server.clock.stepWallClock(random.nextInt(2 * LONGEST_JUMP_MS) - LONGEST_JUMP_MS);
    trace.add(`${links.length} links`);
  }

  /** Does one thing, lets all that follows from it at once happen, and looks. */
  async #event(name: string, run: () => void): Promise<void> {
    const { trace, findings, server } = this.#world;
    this.#eventCount++;
    run();
    await new Promise((resolve) => setImmediate(resolve));
    trace.add(`${this.#eventCount} ${name} at ${server.clock.nowMs().toFixed(3)}`);
    checkInvariants(this.#world);
    findings.throwIfAny();
  }
}
