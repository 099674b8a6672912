import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { type AttemptFailure, ConnectionStateMachine, type ReconnectDelays, ReconnectPolicy } from '../src/index.ts';

const refused: AttemptFailure = { statusCode: StatusCodes.BadConnectionRejected, retryAfterMs: undefined };
const busy: AttemptFailure = { statusCode: StatusCodes.BadServerTooBusy, retryAfterMs: undefined };
const policy = new ReconnectPolicy({ initialDelayMs: 100, maxDelayMs: 1000, jitter: 0 });

describe('ConnectionStateMachine', () => {
  it('CL-03 goes through the same waits at a first connect and after a loss', () => {
    const machine = new ConnectionStateMachine(policy);
    const failures = [refused, busy, { ...busy, retryAfterMs: 3000 }];
    const waits = (): unknown[] => failures.map((failure) => machine.failed(failure, 0));
    expect(machine.start()).toEqual({ kind: 'attempt' });
    const atFirst = waits();
    expect(atFirst).toEqual([
      { kind: 'wait', delayMs: 100 },
      { kind: 'wait', delayMs: 800 },
      { kind: 'wait', delayMs: 3000 },
    ]);
    expect(machine.state).toBe('connecting');
    machine.succeeded();
    expect(machine.state).toBe('connected');
    expect(machine.lost(refused, 10, false)).toEqual({ kind: 'attempt' });
    expect(machine.state).toBe('reconnecting');
    expect(waits()).toEqual(atFirst);
  });

  it('CL-02 waits before the first attempt when the server closed the connection because it is busy', () => {
    const machine = new ConnectionStateMachine(policy);
    machine.start();
    machine.succeeded();
    expect(machine.lost({ statusCode: StatusCodes.BadTcpServerTooBusy, retryAfterMs: 700 }, 0, true)).toEqual({
      kind: 'wait',
      delayMs: 700,
    });
    expect(machine.waited()).toEqual({ kind: 'attempt' });
  });

  it('CL-03 needs nothing but getNextDelay, and asks it when tryGetNextDelay opts out', () => {
    const plain: ReconnectDelays = { getNextDelay: (attempt) => (attempt < 2 ? 7 : undefined) };
    const optsOut: ReconnectDelays = {
      ...plain,
      tryGetNextDelay: (_attempt, { statusCode }) => (statusCode === busy.statusCode ? 99 : undefined),
    };
    const waits = (delays: ReconnectDelays, failure: AttemptFailure): unknown => new ConnectionStateMachine(delays).failed(failure, 0);
    expect(waits(plain, busy)).toEqual({ kind: 'wait', delayMs: 7 });
    expect(waits(optsOut, busy)).toEqual({ kind: 'wait', delayMs: 99 });
    expect(waits(optsOut, refused)).toEqual({ kind: 'wait', delayMs: 7 });
    const machine = new ConnectionStateMachine(plain);
    machine.failed(busy, 0);
    machine.failed(busy, 0);
    expect(machine.failed(busy, 0)).toEqual({ kind: 'none' });
    expect(machine.state).toBe('closed');
  });

  it('CL-01 begins no attempt after the total budget, which a success renews', () => {
    const machine = new ConnectionStateMachine(
      new ReconnectPolicy({ strategy: 'constant', initialDelayMs: 100, jitter: 0, totalBudgetMs: 250 }),
    );
    expect(machine.failed(refused, 1000).kind).toBe('wait');
    machine.succeeded();
    machine.lost(refused, 5000, false);
    expect(machine.failed(refused, 5000).kind).toBe('wait');
    expect(machine.failed(refused, 5150).kind).toBe('wait');
    expect(machine.failed(refused, 5151)).toEqual({ kind: 'none' });
    expect(machine.state).toBe('closed');
  });

  it('ends with a failure that no retry can help, and after close nothing moves it', () => {
    const machine = new ConnectionStateMachine(policy);
    machine.failed(refused, 0, true);
    expect(machine.state).toBe('closed');
    expect([machine.start(), machine.waited(), machine.succeeded(), machine.failed(refused, 0), machine.lost(refused, 0, false)]).toEqual(
      Array.from({ length: 5 }, () => ({ kind: 'none' })),
    );
    expect(machine.state).toBe('closed');
  });
});
