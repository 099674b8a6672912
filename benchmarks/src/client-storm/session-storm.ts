import { ClientApplication, type ManagedSession, ManagedSessionBuilder, type ManagedSessionEvent, ReconnectPolicy } from '@bulkhead/client';
import { join } from 'node:path';

/** What sessions met on their way. */
export interface Attempts {
  /** Attempts to get a Session, those that succeeded too. */
  attempts: number;
  /** Attempts that failed, by StatusCode and whether the server said when to come again. */
  readonly failures: Map<string, number>;
  /** Sessions that gave up. */
  refusedForGood: number;
  established: number;
}

/** Many managed sessions of one application, with one item each. */
export class SessionStorm {
  readonly application: ClientApplication;
  readonly attempts: Attempts = { attempts: 0, failures: new Map(), refusedForGood: 0, established: 0 };
  readonly #builder: ManagedSessionBuilder;
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

  get sessions(): readonly ManagedSession[] {
    return this.#sessions;
  }

  /** All at once, without a connect gate. */
  async connect(url: string, count: number): Promise<void> {
    const outcomes = await Promise.allSettled(Array.from({ length: count }, () => this.#builder.connect(url)));
    this.#sessions = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    this.attempts.refusedForGood = count - this.#sessions.length;
    for (const outcome of outcomes) if (outcome.status === 'rejected') console.error(`refused for good: ${outcome.reason}`);
  }

  get connectedCount(): number {
    return this.#sessions.filter(({ state }) => state === 'connected').length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((session) => session.close()));
    await this.application.close();
  }

  #count(event: ManagedSessionEvent): void {
    if (event.kind === 'established') {
      this.attempts.attempts++;
      this.attempts.established++;
    }
    if (event.kind !== 'attemptFailed') return;
    this.attempts.attempts++;
    const { retryAfterMs } = event.failure;
    const name = `${event.error.message.slice(0, 200)}${retryAfterMs === undefined ? ' (without RetryAfterMs)' : ' (with RetryAfterMs)'}`;
    this.attempts.failures.set(name, (this.attempts.failures.get(name) ?? 0) + 1);
  }
}
