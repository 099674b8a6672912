import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { ReconnectPolicy } from '../src/index.ts';

const busy = { statusCode: StatusCodes.BadServerTooBusy, retryAfterMs: undefined };
const refused = { statusCode: StatusCodes.BadConnectionRejected, retryAfterMs: undefined };
const limits = { initialDelayMs: 100, maxDelayMs: 1000, jitter: 0 };

describe('ReconnectPolicy', () => {
  it('CL-01 doubles delays, adds to them, or keeps them, up to the longest', () => {
    const delays = (strategy: 'exponential' | 'linear' | 'constant'): (number | undefined)[] => {
      const policy = new ReconnectPolicy({ ...limits, strategy });
      return [0, 1, 2, 3, 4, 2000].map((attempt) => policy.getNextDelay(attempt));
    };
    expect(delays('exponential')).toEqual([100, 200, 400, 800, 1000, 1000]);
    expect(delays('linear')).toEqual([100, 200, 300, 400, 500, 1000]);
    expect(delays('constant')).toEqual([100, 100, 100, 100, 100, 100]);
  });

  it('CL-01 cuts off at random no more than the jitter', () => {
    const at = (random: number): number | undefined =>
      new ReconnectPolicy({ ...limits, jitter: 0.5, random: () => random }).getNextDelay(0);
    expect(at(0)).toBe(100);
    expect(at(0.5)).toBe(75);
    expect(at(0.999_999)).toBeCloseTo(50, 3);
  });

  it('CL-01 ends after so many retries, whatever the reason', () => {
    const policy = new ReconnectPolicy({ ...limits, maxRetries: 2 });
    expect(policy.getNextDelay(1)).toBe(200);
    expect(policy.getNextDelay(2)).toBeUndefined();
    expect(policy.tryGetNextDelay(1, busy)).toBe(800);
    expect(policy.tryGetNextDelay(2, { ...busy, retryAfterMs: 5 })).toBeUndefined();
  });

  it.each([
    'BadServerTooBusy',
    'BadTcpServerTooBusy',
    'BadTooManySessions',
    'BadTooManyOperations',
    'BadTooManyPublishRequests',
    'BadTimeout',
    'BadRequestTimeout',
  ] as const)('CL-01 CL-03 waits four times as long after %s, up to the longest delay', (name) => {
    const policy = new ReconnectPolicy(limits);
    const failure = { statusCode: StatusCodes[name], retryAfterMs: undefined };
    expect(ReconnectPolicy.isServerBusySignal(failure.statusCode)).toBe(true);
    expect([0, 1, 2].map((attempt) => policy.tryGetNextDelay(attempt, failure))).toEqual([400, 800, 1000]);
  });

  it('CL-03 tells busy signals from other failures, info bits left aside', () => {
    expect(ReconnectPolicy.isServerBusySignal(StatusCodes.BadServerTooBusy | 0x0401)).toBe(true);
    for (const code of [StatusCodes.BadConnectionRejected, StatusCodes.BadUserAccessDenied, StatusCodes.Good]) {
      expect(ReconnectPolicy.isServerBusySignal(code)).toBe(false);
    }
    expect(new ReconnectPolicy(limits).tryGetNextDelay(0, refused)).toBe(100);
  });

  it('CL-02 never comes back before the time the server asked for, even beyond the longest delay', () => {
    const policy = new ReconnectPolicy(limits);
    expect(policy.tryGetNextDelay(0, { ...busy, retryAfterMs: 5000 })).toBe(5000);
    expect(policy.tryGetNextDelay(0, { ...refused, retryAfterMs: 250 })).toBe(250);
    // A bound below, not a command: the policy's own delay is longer.
    expect(policy.tryGetNextDelay(0, { ...busy, retryAfterMs: 10 })).toBe(400);
    const jittered = new ReconnectPolicy({ ...limits, jitter: 0.5, random: () => 0.5 });
    expect(jittered.tryGetNextDelay(0, { ...busy, retryAfterMs: 5000 })).toBe(6250);
  });

  it('names the option that is wrong', () => {
    expect(() => new ReconnectPolicy({ initialDelayMs: 0 })).toThrow(/^initialDelayMs/u);
    expect(() => new ReconnectPolicy({ initialDelayMs: 10, maxDelayMs: 9 })).toThrow(/^maxDelayMs/u);
    expect(() => new ReconnectPolicy({ jitter: 1.1 })).toThrow(/^jitter/u);
    expect(() => new ReconnectPolicy({ maxRetries: 0 })).toThrow(/^maxRetries/u);
    expect(() => new ReconnectPolicy({ totalBudgetMs: 0 })).toThrow(/^totalBudgetMs/u);
  });
});
