import { describe, expect, it } from 'vitest';
import { RefusalRing, Stage } from '../src/index.ts';
import { createProvider, disposeAll, expectNothingInUse, granted, MapClassifier, smallLimits, take } from './fixtures.ts';

const { Connection, RequestExecution } = Stage;

describe('shadow mode', () => {
  it('BX-06 a stage only counts what its limits would have refused, up to what the server can do at all', () => {
    const told: [string, boolean][] = [];
    const provider = createProvider(
      { stages: [{ stage: 'RequestExecution', capacity: 10, ownerHardLimit: 5, shadow: true }] },
      { onRefused: ({ reason }, _owner, isShadow) => told.push([reason, isShadow]) },
    );
    const leases = take(provider, RequestExecution, 'a', 5);
    expect(provider.getShadowRefusalCount(RequestExecution, 'OwnerLimit')).toBe(0);
    leases.push(...take(provider, RequestExecution, 'a', 1));
    expect(told).toEqual([['OwnerLimit', true]]);
    leases.push(...take(provider, RequestExecution, 'b', 1));
    expect(provider.getShadowRefusalCount(RequestExecution, 'Capacity')).toBe(0);
    leases.push(...take(provider, RequestExecution, 'b', 1));
    expect(provider.getShadowRefusalCount(RequestExecution, 'Capacity')).toBe(1);
    expect(provider.getRefusalCount(RequestExecution, 'Capacity')).toBe(0);
    leases.push(granted(provider.tryAcquire(RequestExecution, provider.classifyIngress('c'), 92)));
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('d'), 1)).toMatchObject({ reason: 'Capacity' });
    const reconnect = { key: 'gateway', ownerClass: 'Reconnect', weight: 1 } as const;
    expect(provider.tryAcquire(RequestExecution, reconnect, 1)).toMatchObject({ reason: 'Capacity' });
    expect([provider.getUsage(RequestExecution), provider.getRefusalCount(RequestExecution, 'Capacity')]).toEqual([100, 2]);
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('BX-06 other stages refuse as ever', () => {
    const provider = createProvider({ stages: [{ stage: 'RequestExecution', shadow: true }] });
    const leases = take(provider, Connection, 'a', 6);
    expect(provider.tryAcquire(Connection, provider.classifyIngress('a'), 1)).toMatchObject({ reason: 'Capacity' });
    disposeAll(leases);
  });

  it('BX-06 an owner in shadow mode has its own limits counted only, while what others keep stays theirs', () => {
    const provider = createProvider({ stages: [{ stage: 'Connection', ownerHardLimit: 2 }], shadowOwners: ['address:a'] });
    const leases = take(provider, Connection, 'a', 6);
    expect(provider.getShadowRefusalCount(Connection, 'OwnerLimit')).toBe(4);
    expect(provider.tryAcquire(Connection, provider.classifyIngress('a'), 1)).toMatchObject({ reason: 'Capacity' });
    disposeAll(leases);
    const others = take(provider, Connection, 'b', 2);
    expect(provider.tryAcquire(Connection, provider.classifyIngress('b'), 1)).toMatchObject({ reason: 'OwnerLimit' });
    disposeAll(others);
    expectNothingInUse(provider);
  });

  it('BX-06 a trusted owner can be in shadow mode too', () => {
    const provider = createProvider(
      {
        mode: 'TrustedReservations',
        stages: [{ stage: 'ReassemblyBytes', bootstrapReserved: 0 }],
        trustedOwners: [{ key: 'plant', shadow: true, reservations: [{ stage: 'Connection', reserved: 1, hardLimit: 2 }] }],
      },
      { classifier: new MapClassifier({ plant: { key: 'plant', ownerClass: 'Trusted' } }) },
      smallLimits,
    );
    const leases = take(provider, Connection, 'plant', 3);
    expect(provider.getShadowRefusalCount(Connection, 'OwnerLimit')).toBe(1);
    disposeAll(leases);
    expectNothingInUse(provider);
  });
});

describe('RefusalRing', () => {
  it('keeps the last entries, the oldest first', () => {
    const ring = new RefusalRing<number>(3);
    expect(ring.entries()).toEqual([]);
    for (let entry = 1; entry <= 7; entry++) {
      ring.add(entry);
      expect(ring.entries()).toEqual([entry - 2, entry - 1, entry].filter((each) => each > 0));
    }
    expect(ring.count).toBe(7);
    expect(() => new RefusalRing(0)).toThrow('maxEntries');
  });
});
