import { ServerTooBusyError } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { planSessionlessLimits, SessionlessBudget } from '../src/sessionless/sessionless-budget.ts';

const connection = () => ({ sessionlessRequests: 0 });

describe('SessionlessBudget', () => {
  it('RI-42 refuses one request more on a connection, and one more of all together, with when to try again', () => {
    const budget = new SessionlessBudget({ maxRequests: 3, maxRequestsPerConnection: 2 }, 500);
    const [a, b, c] = [connection(), connection(), connection()];
    const places = [budget.enter(a), budget.enter(a), budget.enter(b)];
    const refused = [budget.enter(a), budget.enter(c)];
    expect(refused.map((each) => (each as ServerTooBusyError).refusal)).toMatchObject([
      { stage: 'SessionlessInvoke', reason: 'OwnerLimit', usage: 2, limit: 2 },
      { stage: 'SessionlessInvoke', reason: 'Capacity', usage: 3, limit: 3 },
    ]);
    expect((refused[0] as ServerTooBusyError).retryAfterMs).toBe(500);
    for (const place of places) (place as Disposable)[Symbol.dispose]();
    for (const place of places) (place as Disposable)[Symbol.dispose]();
    expect(budget.used).toBe(0);
    expect(budget.enter(c)).not.toBeInstanceOf(ServerTooBusyError);
  });

  it('refuses limits that make no sense, by name', () => {
    expect(planSessionlessLimits({})).toEqual({ maxRequests: 100, maxRequestsPerConnection: 8 });
    expect(() => planSessionlessLimits({ maxRequests: 0 })).toThrow(/maxRequests/u);
    expect(() => planSessionlessLimits({ maxRequestsPerConnection: Number.NaN })).toThrow(/maxRequestsPerConnection/u);
  });
});
