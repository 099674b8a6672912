import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetainedBytesLedger } from '../src/index.ts';

const KiB = 1024;

describe('bytes retained for owners', () => {
  it('BX-08 holds every owner to its own limit, over all its accounts', () => {
    const ledger = new RetainedBytesLedger({ maxBytes: 1000, maxBytesPerOwner: 300, maxOwners: 2 });
    using first = ledger.open('a');
    using second = ledger.open('a');
    expect(first.tryCharge(200)).toBe(true);
    expect(second.tryCharge(101)).toBe(false);
    expect(second.tryCharge(100)).toBe(true);
    expect([first.usedBytes, ledger.ofOwner('a'), ledger.usedBytes]).toEqual([300, 300, 300]);
    second.release(100);
    expect(first.tryCharge(100)).toBe(true);
  });

  it('BX-08 holds all owners to the total', () => {
    const ledger = new RetainedBytesLedger({ maxBytes: 1000, maxBytesPerOwner: 900, maxOwners: 10 });
    using big = ledger.open('big');
    using other = ledger.open('other');
    let bytes = 0;
    for (const account of [big, other]) while (account.tryCharge(10)) bytes += 10;
    expect(bytes).toBeLessThanOrEqual(1000);
    expect(ledger.usedBytes).toBe(bytes);
  });

  it('BX-08 keeps a part for every owner that no other can take', () => {
    const ledger = new RetainedBytesLedger({ maxBytes: 1024 * KiB, maxBytesPerOwner: 1024 * KiB, maxOwners: 8 });
    expect(ledger.ownBytes).toBe(64 * KiB);
    using big = ledger.open('big');
    while (big.tryCharge(KiB));
    for (let at = 1; at < 8; at++) {
      const small = ledger.open(`small${at}`);
      expect(small.tryCharge(64 * KiB)).toBe(true);
      expect(small.tryCharge(1)).toBe(false);
    }
    expect(ledger.usedBytes).toBe(1024 * KiB);
    using late = ledger.open('one too many');
    expect(late.tryCharge(1)).toBe(false);
  });

  it('gives back what an account still has when it is disposed, once', () => {
    const ledger = new RetainedBytesLedger({ maxBytes: 1000, maxOwners: 2 });
    const account = ledger.open('a');
    account.tryCharge(100);
    account[Symbol.dispose]();
    account[Symbol.dispose]();
    expect([ledger.usedBytes, ledger.ownerCount, account.tryCharge(1)]).toEqual([0, 0, false]);
  });

  it('refuses to give back more than was charged', () => {
    const account = new RetainedBytesLedger({ maxBytes: 1000, maxOwners: 1 }).open('a');
    account.tryCharge(10);
    expect(() => account.release(11)).toThrow(RangeError);
  });

  it.each([
    ['maxRetainedBytes', { maxBytes: 0, maxOwners: 1 }],
    ['maxRetainedBytesPerOwner', { maxBytes: 10, maxBytesPerOwner: 11, maxOwners: 1 }],
    ['maxOwners', { maxBytes: 10, maxOwners: 0 }],
  ])('names %s when it is wrong', (name, options) => {
    expect(() => new RetainedBytesLedger(options)).toThrow(name);
  });

  it('BX-08 counts exactly, whatever is charged and given back by whom, and ends at 0', () => {
    const step = fc.record({ owner: fc.nat(5), bytes: fc.integer({ min: 1, max: 400 }), isRelease: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const ledger = new RetainedBytesLedger({ maxBytes: 2000, maxBytesPerOwner: 900, maxOwners: 4 });
        const accounts = Array.from({ length: 6 }, (_, owner) => ledger.open(`owner${owner}`));
        const used = accounts.map(() => 0);
        for (const { owner, bytes, isRelease } of steps) {
          const before = used[owner] as number;
          if (isRelease) {
            accounts[owner]?.release(Math.min(bytes, before));
            used[owner] = before - Math.min(bytes, before);
          } else if (accounts[owner]?.tryCharge(bytes)) used[owner] = before + bytes;
          // Within its own part nobody is refused.
          else if (owner < 4) expect(before + bytes).toBeGreaterThan(ledger.ownBytes);
          expect(ledger.usedBytes).toBe(used.reduce((sum, each) => sum + each, 0));
          expect(Math.max(...used)).toBeLessThanOrEqual(900);
          expect(ledger.usedBytes).toBeLessThanOrEqual(2000);
        }
        for (const account of accounts) account[Symbol.dispose]();
        expect([ledger.usedBytes, ledger.ownerCount]).toEqual([0, 0]);
      }),
    );
  });
});
