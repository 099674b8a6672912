import type { SessionGate } from '@bulkhead/contracts';
import { type Owner, type ResourceIsolationProvider, SharedResourceIsolationProvider, Stage } from '@bulkhead/resource-isolation';
import {
  AdditionalParametersType,
  CreateSessionRequest,
  CreateSessionResponse,
  type RequestHeader,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { Harness, type HarnessOptions, TestChannel, type TestRequest, TOTALS } from './harness.ts';

/** A gate that charges the address, or whom the test names. */
class TestGate implements SessionGate {
  placesInUse = 0;
  ownerOfAddress: (address: string) => Owner;
  readonly #provider: ResourceIsolationProvider;
  readonly #listeners: (() => void)[] = [];

  constructor(provider: ResourceIsolationProvider) {
    this.#provider = provider;
    this.ownerOfAddress = (address) => provider.classifyIngress(address);
  }

  ownerOf(_service: string, channel: TestChannel): Owner {
    return this.ownerOfAddress(channel.remote.address);
  }

  enter(owner: Owner): ReturnType<SessionGate['enter']> {
    const answer = this.#provider.tryAcquire(Stage.SessionEstablishment, owner, 1);
    if (answer.kind === 'refusal') return answer;
    this.placesInUse++;
    const dispose = (): void => {
      answer[Symbol.dispose]();
      this.placesInUse--;
      for (const listener of this.#listeners) listener();
    };
    return { kind: 'lease', stage: answer.stage, amount: 1, [Symbol.dispose]: dispose };
  }

  onPlaceFreed(listener: () => void): void {
    this.#listeners.push(listener);
  }
}

/** Refuses addresses over a limit of their own, on top of the totals. */
class LimitedProvider extends SharedResourceIsolationProvider {
  limitOf: (key: string) => number = () => Number.POSITIVE_INFINITY;
  readonly inUse: Map<string, number> = new Map();

  override tryAcquire(stage: Stage, owner: Owner, amount: number): ReturnType<SharedResourceIsolationProvider['tryAcquire']> {
    if (stage !== Stage.SessionEstablishment) return super.tryAcquire(stage, owner, amount);
    const used = this.inUse.get(owner.key) ?? 0;
    const limit = this.limitOf(owner.key);
    if (used >= limit) return { kind: 'refusal', id: 0, stage, reason: 'OwnerLimit', usage: used, limit };
    const answer = super.tryAcquire(stage, owner, amount);
    if (answer.kind === 'refusal') return answer;
    this.inUse.set(owner.key, used + 1);
    const dispose = (): void => {
      answer[Symbol.dispose]();
      this.inUse.set(owner.key, (this.inUse.get(owner.key) ?? 1) - 1);
    };
    return { kind: 'lease', stage, amount, [Symbol.dispose]: dispose };
  }
}

/** A dispatcher with so many places, whose CreateSessions run until they are let go. */
class WaitingTest {
  readonly provider: LimitedProvider;
  readonly gate: TestGate;
  readonly harness: Harness;
  /** Addresses whose CreateSession runs, in the order in which they began. */
  readonly running: string[] = [];
  readonly #ends: Map<string, () => void> = new Map();

  constructor(places: number, sessionQueueLimit: number, options: HarnessOptions = {}) {
    this.provider = new LimitedProvider({ totals: { ...TOTALS, SessionEstablishment: places, ...options.totals } });
    this.gate = new TestGate(this.provider);
    this.harness = new Harness(
      {
        CreateSession: async (_request, { channel }) => {
          const { address } = channel.remote;
          this.running.push(address);
          await new Promise<void>((resolve) => this.#ends.set(address, resolve));
          return CreateSessionResponse.create();
        },
        Read: () => ({ results: [], diagnosticInfos: [] }),
      },
      { provider: this.provider, sessionGate: this.gate, sessionQueueLimit, ...options },
    );
  }

  /** A CreateSession on a channel of its own. */
  create(address: string, header: Partial<RequestHeader> = {}, channel = new TestChannel(1, address)): TestRequest {
    return this.harness.submit({ channel, token: 0 }, CreateSessionRequest, {}, header);
  }

  async createAll(...addresses: string[]): Promise<TestRequest[]> {
    const requests: TestRequest[] = [];
    for (const address of addresses) {
      requests.push(this.create(address));
      await this.harness.runtime.idle();
    }
    return requests;
  }

  async finish(address: string): Promise<void> {
    this.#ends.get(address)?.();
    await this.harness.runtime.idle();
  }

  usage(stage: Stage): number {
    return this.provider.getUsage(stage);
  }
}

describe('CreateSession requests without a place', () => {
  it('RL-06 wait up to the limit and start in the order in which they came, as places come free', async () => {
    const test = new WaitingTest(2, 3);
    const requests = await test.createAll('a', 'b', 'c', 'd', 'e');
    expect(test.running).toEqual(['a', 'b']);
    expect(requests.map(({ result }) => result)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect([test.usage(Stage.RequestQueue), test.usage(Stage.RequestExecution), test.harness.dispatcher.queuedCount]).toEqual([3, 2, 3]);
    await test.finish('b');
    expect(test.running).toEqual(['a', 'b', 'c']);
    await test.finish('a');
    await test.finish('c');
    await test.finish('d');
    await test.finish('e');
    expect(test.running).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(requests.map(({ result }) => result)).toEqual(new Array(5).fill(StatusCodes.Good));
    expect(test.harness.usage()).toEqual({});
    expect(requests.map(({ leftQueueCount }) => leftQueueCount)).toEqual(new Array(5).fill(1));
  });

  it('RL-05 RL-06 are refused at once, without being decoded, when as many wait as may; and with limit 0 as soon as places are taken', async () => {
    for (const limit of [0, 2]) {
      const test = new WaitingTest(1, limit, { busyRetryAfterMs: 700 });
      const waiting = await test.createAll('a', ...['b', 'c'].slice(0, limit));
      const [refused] = (await test.createAll('z')) as [TestRequest];
      expect(refused.result).toBe(StatusCodes.BadServerTooBusy);
      const { parameters } = refused.answers[0]?.header.additionalHeader.decode(AdditionalParametersType) ?? {};
      const told = Object.fromEntries((parameters ?? []).map(({ key, value }) => [key.name, value.value]));
      expect(told).toMatchObject({ RetryAfterMs: 700n, Stage: 'SessionEstablishment', Reason: 'Capacity', Usage: 1n, Limit: 1n });
      expect(test.running).toEqual(['a']);
      expect(waiting.map(({ result }) => result)).toEqual(new Array(limit + 1).fill(undefined));
      for (const address of ['a', 'b', 'c']) await test.finish(address);
      expect(test.harness.usage()).toEqual({});
    }
  });

  it('RL-06 hold up nothing else of their owner, with turns and in arrival order', async () => {
    for (const useFairScheduling of [true, false]) {
      const test = new WaitingTest(1, 5, { useFairScheduling });
      await test.createAll('a', 'b');
      const read = test.harness.read(test.harness.openSession('b'));
      await test.harness.runtime.idle();
      expect(read.result).toBe(StatusCodes.Good);
    }
  });

  it('RL-06 stay behind those that came later only while their owner is over a limit of its own', async () => {
    const test = new WaitingTest(2, 5);
    await test.createAll('a', 'b', 'a', 'c');
    test.provider.limitOf = (key) => (key === 'address:a' ? 1 : 9);
    await test.finish('b');
    expect(test.running).toEqual(['a', 'b', 'c']);
    await test.finish('a');
    expect(test.running).toEqual(['a', 'b', 'c', 'a']);
  });

  it('RL-06 do not wait when their owner is over a limit of its own, so that they take no room from others', async () => {
    const test = new WaitingTest(2, 5);
    test.provider.limitOf = (key) => (key === 'address:a' ? 1 : 9);
    const [, second] = await test.createAll('a', 'a');
    expect(second?.result).toBe(StatusCodes.BadServerTooBusy);
    expect(test.usage(Stage.RequestQueue)).toBe(0);
  });

  it('RL-06 of another class are not held back by those that find shared capacity full', async () => {
    const test = new WaitingTest(1, 5);
    await test.createAll('a', 'b', 'c');
    const seen: string[] = [];
    test.gate.ownerOfAddress = (address) => {
      seen.push(address);
      return { key: address, ownerClass: address === 'c' ? 'Bootstrap' : 'Shared', weight: 1 };
    };
    test.provider.limitOf = (key) => (key === 'b' ? 0 : 9);
    await test.finish('a');
    expect(seen).toEqual(['b', 'c']);
    expect(test.running).toEqual(['a', 'c']);
  });

  it('RL-06 give up their room when their time is over, their channel closes or the server stops', async () => {
    const test = new WaitingTest(1, 3);
    await test.createAll('a');
    const late = test.create('b', { timeoutHint: 500 });
    const gone = test.create('c', {}, new TestChannel(3, 'c'));
    const [kept] = await test.createAll('d');
    expect(test.usage(Stage.RequestQueue)).toBe(3);
    test.harness.runtime.advance(499);
    expect(late.result).toBeUndefined();
    test.harness.runtime.advance(1);
    expect(late.result).toBe(StatusCodes.BadTimeout);
    (gone.channel as TestChannel).isOpen = false;
    test.harness.dispatcher.channelClosed(gone.channel);
    expect(gone.answers).toEqual([]);
    expect([test.usage(Stage.RequestQueue), test.usage(Stage.RequestQueueBytes), test.harness.runtime.pendingTimers]).toEqual([1, 200, 0]);
    test.harness.dispatcher.stop();
    expect(kept?.result).toBe(StatusCodes.BadServerHalted);
    await test.finish('a');
    expect(test.running).toEqual(['a']);
    expect(test.harness.usage()).toEqual({});
  });

  it('RL-06 get no place while their channel takes no answers', async () => {
    for (const useFairScheduling of [true, false]) {
      const test = new WaitingTest(1, 3, { useFairScheduling });
      await test.createAll('a', 'b');
      const held = new TestChannel(9, 'c');
      test.create('c', {}, held);
      await test.harness.runtime.idle();
      test.harness.dispatcher.channelHeldBack(held, true);
      await test.finish('a');
      await test.finish('b');
      expect([test.running, test.usage(Stage.SessionEstablishment)]).toEqual([['a', 'b'], 0]);
      test.harness.dispatcher.channelHeldBack(held, false);
      await test.harness.runtime.idle();
      expect(test.running).toEqual(['a', 'b', 'c']);
    }
  });

  it('are refused when the last place in use that could have told of room is gone', async () => {
    const test = new WaitingTest(1, 3);
    const [, waiting] = await test.createAll('a', 'b');
    test.provider.limitOf = () => 0;
    await test.finish('a');
    expect(waiting?.result).toBe(StatusCodes.BadServerTooBusy);
    expect(test.harness.usage()).toEqual({});
  });

  it('are answered with what the gate throws', async () => {
    const test = new WaitingTest(1, 3);
    const [, waiting] = await test.createAll('a', 'b');
    test.gate.ownerOfAddress = () => {
      throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'unknown');
    };
    const [refused] = await test.createAll('c');
    expect(refused?.result).toBe(StatusCodes.BadSessionIdInvalid);
    await test.finish('a');
    expect(waiting?.result).toBe(StatusCodes.BadSessionIdInvalid);
    expect(test.harness.usage()).toEqual({});
  });
});
