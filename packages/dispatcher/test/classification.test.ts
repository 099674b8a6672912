import type { CallerOwners } from '@bulkhead/contracts';
import { Stage } from '@bulkhead/resource-isolation';
import { ActivateSessionRequest, CloseSessionRequest, DeleteSubscriptionsRequest, StatusCodes, UserTokenType } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import type { ServiceHandlers } from '../src/index.ts';
import { Harness, TestChannel } from './harness.ts';
import { ChangingClassifier, executionByOwner, smallProvider, usageByOwner } from './isolation-provider.ts';
import { expectEverythingEnded, pendingHandlers } from './scenarios.ts';

/** Reads that the test ends; the other services answer at once and note their names. */
function isolated(options: Parameters<typeof smallProvider>[0] = {}): {
  harness: Harness;
  started: ReturnType<typeof pendingHandlers>['started'];
  order: string[];
} {
  const order: string[] = [];
  const { handlers, started } = pendingHandlers();
  const noted = (name: string, result: object): object => {
    order.push(name);
    return result;
  };
  const all = {
    ...handlers,
    CloseSession: () => noted('CloseSession', {}),
    DeleteSubscriptions: () => noted('DeleteSubscriptions', { results: [], diagnosticInfos: null }),
    ActivateSession: () => noted('ActivateSession', { serverNonce: null, results: null, diagnosticInfos: null }),
  } as ServiceHandlers;
  return { harness: new Harness(all, { provider: smallProvider(options) }), started, order };
}

/** Ends whatever runs or comes to run. */
async function finish(harness: Harness, started: { resolve: () => void }[]): Promise<void> {
  for (let ended = 0; ended < started.length; ended++) {
    started[ended]?.resolve();
    await harness.runtime.idle();
  }
}

describe('who is charged for a request that waited', () => {
  it('RI-34 a mapping that changed while it waited: execution is charged to the new owner, waiting stays with the old one', async () => {
    const classifier = new ChangingClassifier();
    const { harness, started } = isolated({ classifier });
    const plant = () => ({ key: 'plant', ownerClass: 'Trusted' }) as const;
    classifier.identity = plant;
    const request = harness.read(harness.openSession('10.0.0.1'));
    classifier.identity = undefined;
    expect(usageByOwner(harness.provider, Stage.RequestQueue)).toEqual({ plant: 1 });
    await harness.runtime.idle();
    expect(executionByOwner(harness.provider)).toEqual({ 'address:10.0.0.1': 1 });
    expect(usageByOwner(harness.provider, Stage.RequestQueueBytes)).toEqual({ plant: 100 });
    await finish(harness, started);
    expect(request.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('RI-34 a mapping that is gone gives no trusted slot any more: the request waits for a shared one', async () => {
    const classifier = new ChangingClassifier();
    const { harness, started } = isolated({ classifier });
    const taken = harness.read(harness.openSession('10.0.0.2'));
    await harness.runtime.idle();
    classifier.identity = ({ address }) => (address === '10.0.0.1' ? { key: 'plant', ownerClass: 'Trusted' } : undefined);
    const request = harness.read(harness.openSession('10.0.0.1'));
    classifier.identity = undefined;
    await harness.runtime.idle();
    expect(started).toHaveLength(1);
    started[0]?.resolve();
    await harness.runtime.idle();
    expect([taken.result, started.length]).toEqual([StatusCodes.Good, 2]);
    await finish(harness, started);
    expect(request.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('RI-34 another user of a Session is charged for what the one before left waiting', async () => {
    const { harness, started } = isolated();
    const client = harness.openSession('10.0.0.1', undefined, 'ann');
    harness.read(client);
    client.session.identity = { kind: UserTokenType.UserName, name: 'bob', roles: [] };
    await harness.runtime.idle();
    expect(executionByOwner(harness.provider)).toEqual({ 'user:bob': 1 });
    await finish(harness, started);
    expectEverythingEnded(harness);
  });

  it('RI-34 a Session that moved away, ended or expired keeps nothing: its requests do not run and are charged to nobody', async () => {
    const classifier = new ChangingClassifier();
    classifier.identity = ({ hasActivatedSession }) => (hasActivatedSession ? { key: 'plant', ownerClass: 'Trusted' } : undefined);
    const { harness, started } = isolated({ classifier });
    const clients = [harness.openSession(), harness.openSession(), harness.openSession()] as const;
    const requests = clients.map((client) => harness.read(client));
    clients[0].session.channel = new TestChannel(50);
    harness.sessions.byToken.delete(clients[1].token);
    clients[1].session.isActivated = false;
    harness.sessions.expired.add(clients[2].session);
    await harness.runtime.idle();
    expect(requests.map(({ result }) => result)).toEqual([
      StatusCodes.BadSecureChannelIdInvalid,
      StatusCodes.BadSessionIdInvalid,
      StatusCodes.BadSessionIdInvalid,
    ]);
    expect(started).toEqual([]);
    expectEverythingEnded(harness);
  });

  it('ends a turn though the owner changes each time it is asked for', async () => {
    const { handlers, started } = pendingHandlers();
    let asked = 0;
    const owners: CallerOwners = {
      ownerOf: () => {
        if (asked++ > 1_000) throw new Error('asked again and again');
        return { key: `address:${asked}`, ownerClass: 'Shared', weight: 1 };
      },
      channelClosed: () => {},
    };
    const harness = new Harness(handlers, { owners });
    const clients = [1, 2, 3].map((n) => harness.openSession(`10.0.0.${n}`));
    for (const client of clients) for (let i = 0; i < 3; i++) harness.read(client);
    await harness.runtime.idle();
    expect(started).toHaveLength(9);
    await finish(harness, started);
    expectEverythingEnded(harness);
    expect([...harness.dispatcher.owners()]).toHaveLength(3);
  });
});

describe('control work', () => {
  it('RI-35 gets through while ordinary execution is full, before what its own Session has waiting', async () => {
    const { harness, started, order } = isolated();
    const client = harness.openSession('10.0.0.1');
    const reads = [harness.read(client), harness.read(client), harness.read(client)];
    await harness.runtime.idle();
    expect(started).toHaveLength(1);
    const control = harness.submit(client, DeleteSubscriptionsRequest);
    await harness.runtime.idle();
    expect([control.result, order]).toEqual([StatusCodes.Good, ['DeleteSubscriptions']]);
    expect(started).toHaveLength(1);
    await finish(harness, started);
    expect(reads.map(({ result }) => result)).toEqual(reads.map(() => StatusCodes.Good));
    expectEverythingEnded(harness);
  });

  it('RI-35 keeps its place among the requests of its Session as long as these can run', async () => {
    const { harness, started } = isolated({ execution: 3 });
    const client = harness.openSession('10.0.0.1');
    const ended: string[] = [];
    const reads = [harness.read(client), harness.read(client)];
    const close = harness.submit(client, CloseSessionRequest);
    for (let turn = 0; turn < 3 && close.result === undefined; turn++) await harness.runtime.turn();
    ended.push(`${started.length} reads before`);
    expect(ended).toEqual(['2 reads before']);
    await finish(harness, started);
    expect(reads.every(({ result }) => result === StatusCodes.Good)).toBe(true);
  });

  it('RI-35 the name of a service alone opens no reserve: a Session that is not activated waits like anybody', async () => {
    const { harness, started, order } = isolated();
    harness.read(harness.openSession('10.0.0.2'));
    await harness.runtime.idle();
    const client = harness.openSession('10.0.0.1');
    client.session.isActivated = false;
    const close = harness.submit(client, CloseSessionRequest);
    await harness.runtime.idle();
    expect([close.result, order]).toEqual([undefined, []]);
    await finish(harness, started);
    expect(close.result).toBe(StatusCodes.Good);
    expectEverythingEnded(harness);
  });

  it('RI-35 has a place in the queue when ordinary work has filled it, and ordinary work never takes that', async () => {
    const { harness, started } = isolated({ queue: 2 });
    const client = harness.openSession('10.0.0.1');
    const reads = [harness.read(client), harness.read(client), harness.read(client)];
    expect(reads[2]?.result).toBe(StatusCodes.BadServerTooBusy);
    const control = harness.submit(client, DeleteSubscriptionsRequest);
    expect(control.result).toBeUndefined();
    await harness.runtime.idle();
    expect(control.result).toBe(StatusCodes.Good);
    await finish(harness, started);
    expectEverythingEnded(harness);
  });

  it('RI-09 overtakes nothing in arrival order', async () => {
    const order: string[] = [];
    const { handlers, started } = pendingHandlers();
    const harness = new Harness(
      {
        ...handlers,
        DeleteSubscriptions: () => {
          order.push('control');
          return { results: [], diagnosticInfos: null };
        },
      },
      { provider: smallProvider(), useFairScheduling: false },
    );
    const client = harness.openSession();
    harness.read(client);
    harness.read(client);
    harness.submit(client, DeleteSubscriptionsRequest);
    await harness.runtime.idle();
    expect([started.length, order]).toEqual([1, []]);
    await finish(harness, started);
    expect(order).toEqual(['control']);
    expectEverythingEnded(harness);
  });
});

describe('coming back over another channel', () => {
  it('RI-34 ActivateSession of a live Session may use the reconnect reserve of a full queue; an unknown token may not', () => {
    const { harness } = isolated({ queue: 1 });
    harness.read(harness.openSession('10.0.0.2'));
    const { token } = harness.openSession('10.0.0.1');
    const unknown = harness.submit({ channel: new TestChannel(91), token: 77 }, ActivateSessionRequest);
    const returning = harness.submit({ channel: new TestChannel(90), token }, ActivateSessionRequest);
    expect([unknown.result, returning.result]).toEqual([StatusCodes.BadServerTooBusy, undefined]);
  });

  it('RI-34 is not held up by one of the same address that has lost its Session', async () => {
    const { harness, started, order } = isolated({ queue: 4 });
    harness.read(harness.openSession('10.0.0.2'));
    await harness.runtime.idle();
    const [ended, live] = [harness.openSession('10.0.0.1'), harness.openSession('10.0.0.1')];
    const [first, second] = [ended, live].map(({ token }, at) =>
      harness.submit({ channel: new TestChannel(90 + at), token }, ActivateSessionRequest),
    );
    ended.session.isActivated = false;
    await harness.runtime.idle();
    expect([first?.result, second?.result, order]).toEqual([undefined, StatusCodes.Good, ['ActivateSession']]);
    await finish(harness, started);
    expectEverythingEnded(harness);
  });

  it('RI-34 loses the reserve when the Session ends while it waits, and is answered by ordinary capacity', async () => {
    const { harness, started, order } = isolated({ queue: 4 });
    harness.read(harness.openSession('10.0.0.2'));
    await harness.runtime.idle();
    const client = harness.openSession('10.0.0.1');
    const returning = harness.submit({ channel: new TestChannel(90), token: client.token }, ActivateSessionRequest);
    client.session.isActivated = false;
    await harness.runtime.idle();
    expect([returning.result, order]).toEqual([undefined, []]);
    await finish(harness, started);
    expect([returning.result, order]).toEqual([StatusCodes.Good, ['ActivateSession']]);
    expectEverythingEnded(harness);
  });
});
