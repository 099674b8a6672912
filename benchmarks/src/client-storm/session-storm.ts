import { join } from 'node:path';
import {
  ClientApplication,
  type ManagedSession,
  ManagedSessionBuilder,
  type ManagedSessionEvent,
  ReconnectPolicy,
  retryAfterMsOf,
} from '@bulkhead/client';
import { StatusCodes } from '@bulkhead/types';

/** Counts up each second. */
const COUNTER = 'ns=2;s=Counter.1000ms';
const PUBLISHING_INTERVAL_MS = 1000;

/** What sessions met on their way. */
export interface Attempts {
  /** Attempts to get a Session, those that succeeded too. */
  attempts: number;
  refusedWithHint: number;
  /** The server said that it is too busy, and not for how long. */
  refusedWithoutHint: number;
  /** Connections that were not let in, timeouts. */
  otherFailures: number;
  /** Sessions that gave up. */
  refusedForGood: number;
}

/** Many managed sessions of one application, with one item each. */
export class SessionStorm {
  readonly application: ClientApplication;
  readonly attempts: Attempts = { attempts: 0, refusedWithHint: 0, refusedWithoutHint: 0, otherFailures: 0, refusedForGood: 0 };
  readonly #builder: ManagedSessionBuilder;
  #recreated = 0;
  #onRecreated: () => void = () => {};
  #sessions: readonly ManagedSession[] = [];

  /** @param workDir holds the client's certificate. */
  constructor(workDir: string) {
    this.application = new ClientApplication({
      applicationName: 'Client storm',
      pki: { folder: join(workDir, 'client-storm'), autoAcceptUntrustedCertificates: true },
    });
    this.#builder = new ManagedSessionBuilder(this.application)
      .withSecurity({ policy: 'Basic256Sha256', mode: 'SignAndEncrypt' })
      .withReconnectPolicy(new ReconnectPolicy({ initialDelayMs: 250, maxDelayMs: 10_000 }))
      .onEvent((event) => this.#count(event));
  }

  /** All at once, without a connect gate. */
  async connect(url: string, count: number): Promise<void> {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, () => this.#builder.connect(url)));
    this.#sessions = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    this.attempts.refusedForGood = count - this.#sessions.length;
    for (const outcome of outcomes) if (outcome.status === 'rejected') console.error(`refused for good: ${outcome.reason}`);
  }

  /** Gives each session a Subscription with one item. @returns how many there are. */
  async monitorEach(): Promise<number> {
    const items = this.#sessions.map(async (session) => {
      const subscription = await whenNotBusy(() => session.subscribe({ publishingIntervalMs: PUBLISHING_INTERVAL_MS }));
      return whenNotBusy(() => subscription.monitor(COUNTER, { samplingIntervalMs: PUBLISHING_INTERVAL_MS }));
    });
    return (await Promise.all(items)).length;
  }

  /** Waits until that many Subscriptions were made anew. @returns how many there are, which are fewer when the time is over. */
  async recreated(count: number, withinMs: number): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
      this.#onRecreated = () => void (this.#recreated >= count && resolve());
      this.#onRecreated();
    });
    clearTimeout(timer);
    return this.#recreated;
  }

  get connectedCount(): number {
    return this.#sessions.filter(({ state }) => state === 'connected').length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.application.close();
  }

  #count(event: ManagedSessionEvent): void {
    if (event.kind === 'subscriptionRecreated') {
      this.#recreated++;
      this.#onRecreated();
    }
    if (event.kind !== 'established' && event.kind !== 'attemptFailed') return;
    this.attempts.attempts++;
    if (event.kind === 'established') return;
    const { retryAfterMs, statusCode } = event.failure;
    if (retryAfterMs !== undefined) this.attempts.refusedWithHint++;
    else if (statusCode === StatusCodes.BadServerTooBusy) this.attempts.refusedWithoutHint++;
    else this.attempts.otherFailures++;
  }
}

/** As often as the server says that it is too busy, after the time it asks for. */
async function whenNotBusy<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const retryAfterMs = retryAfterMsOf(error);
      if (retryAfterMs === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryAfterMs * (1 + Math.random())));
    }
  }
}
