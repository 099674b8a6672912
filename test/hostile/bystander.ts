import type { AddNodes, ServerOptions } from '@bulkhead/opcua';
import { expect } from 'vitest';
import { RawSession } from '../support/raw-session.ts';
import { ResponseScan } from '../support/response-scan.ts';
import { startTestServer, type TestServer, usageOf } from '../support/test-server.ts';

const BYSTANDER_ADDRESS = '127.0.0.9';
const BYSTANDER_NODE = 'ns=1;s=Bystander';
const REST_WITHIN_MS = 5000;
/** Far above what an answer takes, far below what a client that is held up would see. */
const MAX_ANSWER_MS = 3000;

export interface HostileTestOptions extends Partial<ServerOptions> {
  /** Texts that must not appear in any byte sent. */
  readonly forbidden?: readonly string[];
}

/** A server under attack, with one well-behaved client of another address that has to go on getting its answers. */
export class HostileTest {
  readonly test: TestServer;
  readonly #scan: ResponseScan;
  readonly #bystander: RawSession;
  #answers = 0;

  private constructor(test: TestServer, scan: ResponseScan, bystander: RawSession) {
    this.test = test;
    this.#scan = scan;
    this.#bystander = bystander;
  }

  static async start(options: HostileTestOptions = {}, addNodes: AddNodes = () => undefined): Promise<HostileTest> {
    const { forbidden, ...serverOptions } = options;
    const scan = new ResponseScan(forbidden);
    const test = await startTestServer(async (space) => {
      space.addVariable({ browseName: 'Bystander', nodeId: 's=Bystander', dataType: 'Int32', value: 42 });
      await addNodes(space);
    }, serverOptions);
    return new HostileTest(test, scan, await RawSession.open({ port: test.port, localAddress: BYSTANDER_ADDRESS }));
  }

  get port(): number {
    return this.test.port;
  }

  /** What the server holds now; in a moment without requests of the bystander. */
  get usage(): Readonly<Record<string, number>> {
    return usageOf(this.test.server);
  }

  /** One answer for the bystander. */
  async bystanderIsServed(): Promise<void> {
    const startMs = performance.now();
    const { results } = await this.#bystander.read(BYSTANDER_NODE);
    expect(results?.[0]?.value?.value).toBe(42);
    expect(performance.now() - startMs).toBeLessThan(MAX_ANSWER_MS);
    this.#answers++;
  }

  /** Within an attack: waits until the bystander got some more answers. */
  async bystanderGoesOn(): Promise<void> {
    const enough = this.#answers + 3;
    await until(() => this.#answers >= enough);
  }

  /**
   * Runs an attack while the bystander reads without a pause: each of its reads has to be answered, and what the server
   * held before is exactly what it holds afterwards.
   */
  async costsOnlyItsSender(attack: () => Promise<void>): Promise<void> {
    const before = this.usage;
    let isOver = false;
    const over = (): void => void (isOver = true);
    const attacking = attack();
    attacking.then(over, over);
    do await this.bystanderIsServed();
    while (!isOver);
    await attacking;
    await this.comesToRest(before);
  }

  /** @throws AssertionError when the server still holds something else after a while. */
  async comesToRest(usage: Readonly<Record<string, number>>): Promise<void> {
    const expected = JSON.stringify(usage);
    await until(() => JSON.stringify(this.usage) === expected, REST_WITHIN_MS).catch(() => undefined);
    expect(this.usage).toEqual(usage);
  }

  async end(): Promise<void> {
    await this.#bystander.close();
    await this.test.end();
    this.#scan[Symbol.dispose]();
  }
}

/** Looks once per turn of the event loop. @throws Error when it isn't so within `withinMs`. */
export async function until(isSo: () => boolean, withinMs = REST_WITHIN_MS): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > deadlineMs) throw new Error(`not so within ${withinMs} ms: ${isSo.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
