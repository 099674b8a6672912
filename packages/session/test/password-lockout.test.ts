import { describe, expect, it } from 'vitest';
import { PasswordLockout } from '../src/index.ts';

const options = { maxFailures: 3, lockMs: 1_000, forgetAfterMs: 10_000, maxUsersPerCaller: 4, maxCallers: 3 };

function fail(lockout: PasswordLockout, caller: string, user: string, times: number, nowMs = 0): void {
  for (let i = 0; i < times; i++) lockout.failed(caller, user, nowMs);
}

describe('PasswordLockout', () => {
  it('locks a user name for the caller that failed often enough, and for no other caller or name', () => {
    const lockout = new PasswordLockout(options);
    fail(lockout, 'mallory', 'admin', 2);
    expect(lockout.isLocked('mallory', 'admin', 0)).toBe(false);
    fail(lockout, 'mallory', 'admin', 1);
    expect(lockout.isLocked('mallory', 'admin', 999)).toBe(true);
    expect(lockout.isLocked('ann', 'admin', 0)).toBe(false);
    expect(lockout.isLocked('mallory', 'guest', 0)).toBe(false);
  });

  it('unlocks after the time, locks again at the next failure, and forgets after a while or a success', () => {
    const lockout = new PasswordLockout(options);
    fail(lockout, 'a', 'u', 3);
    expect(lockout.isLocked('a', 'u', 1_000)).toBe(false);
    fail(lockout, 'a', 'u', 1, 1_000);
    expect(lockout.isLocked('a', 'u', 1_001)).toBe(true);
    fail(lockout, 'a', 'u', 1, 11_001);
    expect(lockout.isLocked('a', 'u', 11_001)).toBe(false);
    lockout.succeeded('a', 'u');
    expect(lockout.callerCount).toBe(0);
  });

  it('gives a caller that tries many names one count for those that are too many', () => {
    const lockout = new PasswordLockout(options);
    for (let i = 0; i < 4; i++) fail(lockout, 'mallory', `name${i}`, 1);
    for (let i = 0; i < 3; i++) fail(lockout, 'mallory', `other${i}`, 1);
    expect(lockout.isLocked('mallory', 'any name', 0)).toBe(true);
    expect(lockout.isLocked('mallory', 'name0', 0)).toBe(false);
    expect(lockout.isLocked('ann', 'any name', 0)).toBe(false);
  });

  it('remembers a bounded number of callers, those that failed last', () => {
    const lockout = new PasswordLockout(options);
    for (let i = 0; i < 10; i++) fail(lockout, `caller${i}`, 'u', 3);
    expect(lockout.callerCount).toBe(3);
    expect(lockout.isLocked('caller9', 'u', 0)).toBe(true);
    expect(lockout.isLocked('caller0', 'u', 0)).toBe(false);
  });
});
