import { describe, expect, it } from 'vitest';
import { Harness } from './harness.ts';
import { ChangingClassifier, smallProvider } from './isolation-provider.ts';
import { expectEverythingEnded, READ_RESULT } from './scenarios.ts';

const PERIOD_MS = 10_000;

/** What a Read costs, by address; the handlers of `asynchronous` ones yield after each ms. */
interface Load {
  readonly address: string;
  readonly costMs: number;
  readonly sessions: number;
  readonly isAsynchronous?: boolean;
  /** Requests of each session that wait at a time. Default 8. */
  readonly outstanding?: number;
}

/** Keeps every session busy with requests for 10 s. @returns shares of the measured time, by owner. */
async function shares(loads: readonly Load[], weights: Readonly<Record<string, number>>): Promise<Record<string, number>> {
  const harness: Harness = new Harness(
    {
      Read: (_request, { channel, slice }) => {
        const load = loads.find(({ address }) => address === channel.remote.address) as Load;
        if (load.isAsynchronous !== true) {
          harness.runtime.nowMs += load.costMs;
          return READ_RESULT;
        }
        return (async () => {
          for (let ms = 0; ms < load.costMs; ms++) {
            await slice.next();
            harness.runtime.nowMs += 1;
          }
          return READ_RESULT;
        })();
      },
    },
    {
      schedulingCost: 'time',
      owners: {
        ownerOf: ({ remote }) => ({ key: remote.address, ownerClass: 'Shared', weight: weights[remote.address] ?? 1 }),
        channelClosed: () => {},
      },
    },
  );
  const clients = loads.flatMap((load) =>
    Array.from({ length: load.sessions }, () => ({
      session: harness.openSession(load.address),
      outstanding: load.outstanding ?? 8,
      open: [] as ReturnType<Harness['read']>[],
    })),
  );
  while (harness.runtime.nowMs < PERIOD_MS) {
    for (const client of clients) {
      client.open = client.open.filter(({ answers }) => answers.length === 0);
      while (client.open.length < client.outstanding) client.open.push(harness.read(client.session));
    }
    await harness.runtime.turn();
  }
  const records = [...harness.dispatcher.owners()];
  const totalMs = records.reduce((sum, { executionMs }) => sum + executionMs, 0);
  expect(totalMs).toBeGreaterThan(PERIOD_MS * 0.9);
  return Object.fromEntries(records.map(({ owner, executionMs }) => [owner.key, executionMs / totalMs]));
}

describe('turns charged by time', () => {
  it('BX-02 weights become shares of the time, within 10 % over 10 s, however different the requests are', async () => {
    const loads: Load[] = [
      { address: 'small', costMs: 0.2, sessions: 3 },
      { address: 'large', costMs: 12, sessions: 1 },
      { address: 'mixed', costMs: 3, sessions: 5 },
    ];
    const measured = await shares(loads, { small: 1, large: 1, mixed: 2 });
    for (const [owner, share] of Object.entries({ small: 0.25, large: 0.25, mixed: 0.5 })) {
      expect(Math.abs((measured[owner] as number) - share) / share).toBeLessThan(0.1);
    }
  });

  it('BX-02 counts the time of asynchronous handlers where it is measured', async () => {
    const loads: Load[] = [
      { address: 'steps', costMs: 20, sessions: 2, isAsynchronous: true },
      { address: 'plain', costMs: 0.5, sessions: 2 },
    ];
    const measured = await shares(loads, { steps: 1, plain: 3 });
    expect(Math.abs((measured['steps'] as number) - 0.25) / 0.25).toBeLessThan(0.1);
  });

  it('BX-02 an owner that sends one large request after another gets no more than its share', async () => {
    const loads: Load[] = [
      { address: 'one', costMs: 40, sessions: 1, outstanding: 1 },
      { address: 'many', costMs: 1, sessions: 4 },
    ];
    const measured = await shares(loads, { one: 1, many: 1 });
    expect(Math.abs((measured['one'] as number) - 0.5) / 0.5).toBeLessThan(0.1);
  });

  it('BX-02 keeps requests, bytes, waits, refusals and time of each owner in both modes', async () => {
    for (const schedulingCost of ['turn', 'time'] as const) {
      const harness: Harness = new Harness(
        {
          Read: () => {
            harness.runtime.nowMs += 4;
            return READ_RESULT;
          },
        },
        { provider: smallProvider({ queue: 3, classifier: new ChangingClassifier() }), schedulingCost },
      );
      const client = harness.openSession('10.0.0.1');
      const requests = [1, 2, 3, 4].map(() => harness.read(client));
      const bytes = requests.slice(0, 3).reduce((sum, { message }) => sum + message.length, 0);
      await harness.runtime.idle();
      expect([...harness.dispatcher.owners()]).toMatchObject([
        { requestCount: 3, requestBytes: bytes, refusalCount: 1, waitSumMs: 12, waitMaxMs: 8, executionMs: 12 },
      ]);
      expectEverythingEnded(harness);
    }
  });
});
