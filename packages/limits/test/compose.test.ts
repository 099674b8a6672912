import { describe, expect, it } from 'vitest';
import {
  ConcurrencyReached,
  ConcurrentPolicy,
  ExponentialBackoff,
  either,
  optional,
  type Policy,
  PolicyMap,
  PolicyStack,
  perSecond,
  RateLimitReached,
  RatePolicy,
  UNLIMITED,
} from '../src/index.ts';
import { aborted, ready, retry } from './decisions.ts';

interface Request {
  readonly route: string;
  readonly isAdmin: boolean;
}

const guest: Request = { route: '/read', isAdmin: false };
const admin: Request = { route: '/read', isAdmin: true };

describe('composition', () => {
  it('LM-04 optional: a policy that is left out limits nothing', () => {
    const off = optional<Request>(undefined);
    for (let call = 0; call < 1_000; call++) ready(off.check(guest, 0)).guard[Symbol.dispose]();
    const on = optional<Request>(new ConcurrentPolicy({ max: 1 }));
    ready(on.check(guest, 0));
    aborted(on.check(guest, 0));
  });

  it('LM-04 either: each input is decided by the policy chosen for it', () => {
    const policy = either<Request>(({ isAdmin }) => isAdmin, UNLIMITED, new ConcurrentPolicy({ max: 1 }));
    ready(policy.check(guest, 0));
    aborted(policy.check(guest, 0));
    ready(policy.check(admin, 0));
    ready(policy.check(admin, 0));
  });

  it('LM-04 maps by matcher: the first rule that matches decides alone, the rest is for the fallback', () => {
    const policy = new PolicyMap<Request>(
      [
        { matches: ({ isAdmin }) => isAdmin, policy: UNLIMITED },
        { matches: ({ route }) => route === '/read', policy: new ConcurrentPolicy({ max: 1 }) },
        { matches: () => true, policy: new ConcurrentPolicy({ max: 2 }) },
      ],
      new RatePolicy(perSecond(1)),
    );
    for (let call = 0; call < 5; call++) ready(policy.check(admin, 0));
    ready(policy.check(guest, 0));
    aborted(policy.check(guest, 0));
    ready(policy.check({ route: '/write', isAdmin: false }, 0));
    ready(policy.check({ route: '/write', isAdmin: false }, 0));
    expect(aborted(policy.check({ route: '/write', isAdmin: false }, 0)).error).toBeInstanceOf(ConcurrencyReached);

    const fallback = new PolicyMap<Request>([], new RatePolicy(perSecond(1)));
    ready(fallback.check(guest, 0));
    expect(aborted(fallback.check(guest, 0)).error).toBeInstanceOf(RateLimitReached);
    ready(new PolicyMap<Request>([]).check(guest, 0));
  });

  it('LM-04 stacking: an aborting rate outside refuses before a slot is taken', () => {
    const concurrency = new ConcurrentPolicy({ max: 1 });
    const policy = new PolicyStack([new RatePolicy(perSecond(2)), concurrency]);
    ready(policy.check(guest, 0)).guard[Symbol.dispose]();
    ready(policy.check(guest, 0)).guard[Symbol.dispose]();
    ready(concurrency.check(guest, 0));
    expect(aborted(policy.check(guest, 0)).error).toBeInstanceOf(RateLimitReached);
    expect(concurrency.inFlight).toBe(1);
  });

  it('LM-04 stacking: a waiting rate outside holds no slot while it paces, inside it does', () => {
    const outer = new ConcurrentPolicy({ max: 1 });
    const rate = (): Policy => new RatePolicy({ ...perSecond(10, 1), mode: 'wait', maxWaitMs: 1_000 });
    const outside = new PolicyStack([rate(), outer]);
    ready(outside.check(guest, 0)).guard[Symbol.dispose]();
    const paced = retry(outside.check(guest, 0));
    expect(paced.check(99)).toBe(paced);
    expect(outer.inFlight).toBe(0);
    const { guard } = ready(paced.check(100));
    expect(outer.inFlight).toBe(1);
    guard[Symbol.dispose]();
    expect(outer.inFlight).toBe(0);

    const inner = new ConcurrentPolicy({ max: 1 });
    const inside = new PolicyStack([inner, rate()]);
    ready(inside.check(guest, 0)).guard[Symbol.dispose]();
    const waiting = retry(inside.check(guest, 0));
    expect(inner.inFlight).toBe(1);
    waiting[Symbol.dispose]();
    waiting[Symbol.dispose]();
    expect(inner.inFlight).toBe(0);
  });

  it('passes each policy once: an inner retry does not charge the outer rate again', () => {
    const rate = new RatePolicy(perSecond(2));
    const concurrency = new ConcurrentPolicy({ max: 1, backoff: new ExponentialBackoff({ firstMs: 10, maxMs: 10, maxAttempts: 9 }) });
    const policy = new PolicyStack([rate, concurrency]);
    const { guard } = ready(policy.check(guest, 0));
    let waiting = retry(policy.check(guest, 0));
    for (const nowMs of [10, 20, 30]) waiting = retry(waiting.check(nowMs));
    guard[Symbol.dispose]();
    ready(waiting.check(40));
    aborted(rate.check(guest, 40));
    expect(() => waiting.check(50)).toThrow('used already');
  });

  it('gives back what the outer policies granted when an inner one refuses or throws', () => {
    const outer = new ConcurrentPolicy({ max: 5 });
    const refusing = new PolicyStack([outer, new ConcurrentPolicy({ max: 1 })]);
    const { guard } = ready(refusing.check(guest, 0));
    aborted(refusing.check(guest, 0));
    expect(outer.inFlight).toBe(1);
    guard[Symbol.dispose]();
    guard[Symbol.dispose]();
    expect(outer.inFlight).toBe(0);

    const broken: Policy = {
      check: () => {
        throw new Error('broken');
      },
    };
    expect(() => new PolicyStack([outer, broken]).check(guest, 0)).toThrow('broken');
    expect(outer.inFlight).toBe(0);
  });

  it('nests, and an empty stack limits nothing', () => {
    const [outer, inner] = [new ConcurrentPolicy({ max: 2 }), new ConcurrentPolicy({ max: 1 })];
    const policy = new PolicyStack([new PolicyStack([]), outer, new PolicyStack([inner])]);
    const { guard } = ready(policy.check(guest, 0));
    aborted(policy.check(guest, 0));
    expect([outer.inFlight, inner.inFlight]).toEqual([1, 1]);
    guard[Symbol.dispose]();
    expect([outer.inFlight, inner.inFlight]).toEqual([0, 0]);
  });
});
