import { describe, expect, it } from 'vitest';
import {
  AddressRangeClassifier,
  ApplicationClassifier,
  addressGroup,
  type CallerEvidence,
  FirstMatchClassifier,
  type ResourceIsolationClassifier,
  Stage,
  UserClassifier,
} from '../src/index.ts';
import { anonymous, createProvider, disposeAll, expectNothingInUse, granted, MapClassifier, take } from './fixtures.ts';

const thumbprint = 'AB'.repeat(20);
const { ReassemblyBytes, RequestExecution, RequestQueue } = Stage;
const activated: CallerEvidence = { ...anonymous, hasActivatedSession: true };

describe('grouping without a classifier', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:0a00:0001', '10.0.0.1'],
    ['0:0:0:0:0:ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64%eth0'],
    ['::1.2.3.4', '0:0:0:0::/64'],
    ['pipe', 'pipe'],
    ['::g', '::g'],
    ['1::2::3', '1::2::3'],
    ['1:2:3:4:5:6:7', '1:2:3:4:5:6:7'],
    ['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8:9'],
    ['1.2.3.4::1', '1.2.3.4::1'],
    ['::ffff:256.0.0.1', '::ffff:256.0.0.1'],
  ])('RI-31 %s belongs to %s', (address, group) => {
    expect(addressGroup(address, 64)).toBe(group);
  });

  it('RI-31 the length of the IPv6 prefix is an option', () => {
    expect(addressGroup('2001:db8:1:2:3:4:5:6', 56)).toBe('2001:db8:1:0::/56');
    expect(addressGroup('2001:db8:1:1ff:3:4:5:6', 56)).toBe('2001:db8:1:100::/56');
    expect(addressGroup('2001:db8:1:2:3:4:5:6', 128)).toBe('2001:db8:1:2:3:4:5:6/128');
    const provider = createProvider({ ipv6PrefixLength: 48 });
    expect(provider.classifyIngress('2001:db8:1:9::1').key).toBe(provider.classifyIngress('2001:db8:1:8::1').key);
  });

  it('RI-31 both spellings of an address, and a whole subnet, count as one owner', () => {
    const provider = createProvider({ stages: [{ stage: 'Connection', ownerHardLimit: 2 }] });
    const leases = [...take(provider, Stage.Connection, '10.0.0.1', 1), ...take(provider, Stage.Connection, '::ffff:10.0.0.1', 1)];
    expect(provider.tryAcquire(Stage.Connection, provider.classifyIngress('10.0.0.1'), 1)).toMatchObject({ reason: 'OwnerLimit' });
    leases.push(...take(provider, Stage.Connection, '2001:db8::1', 1), ...take(provider, Stage.Connection, '2001:db8::2', 1));
    expect(provider.tryAcquire(Stage.Connection, provider.classifyIngress('2001:db8::3'), 1)).toMatchObject({ reason: 'OwnerLimit' });
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('takes the strongest evidence: an authenticated user, then a validated application, then the address', () => {
    const provider = createProvider();
    const keyOf = (evidence: Partial<CallerEvidence>): string => provider.classify({ ...anonymous, ...evidence }).key;
    expect(keyOf({})).toBe('address:10.0.0.1');
    expect(keyOf({ applicationThumbprint: thumbprint })).toBe(`application:${thumbprint}`);
    expect(keyOf({ applicationThumbprint: thumbprint, hasActivatedSession: true })).toBe(`application:${thumbprint}`);
    expect(keyOf({ applicationThumbprint: thumbprint, userName: 'ann', hasActivatedSession: true })).toBe('user:ann');
    expect(keyOf({ userName: 'ann' })).toBe('address:10.0.0.1');
    expect(keyOf({ applicationUri: 'urn:claimed' })).toBe('address:10.0.0.1');
    expect(keyOf({ userName: 'a'.repeat(300), applicationThumbprint: thumbprint, hasActivatedSession: true })).toBe(
      `application:${thumbprint}`,
    );
  });

  it('RI-33 neither an application certificate nor an activated anonymous Session gives a class or a reserve of its own', () => {
    const provider = createProvider();
    for (const evidence of [
      { ...anonymous, applicationThumbprint: thumbprint },
      activated,
      { ...activated, applicationThumbprint: thumbprint },
    ]) {
      const owner = provider.classify(evidence);
      expect(owner.ownerClass).toBe('Shared');
      const all = granted(provider.tryAcquire(RequestExecution, owner, 97));
      expect(provider.tryAcquire(RequestExecution, owner, 1)).toMatchObject({ reason: 'Capacity', limit: 97 });
      all[Symbol.dispose]();
    }
  });
});

describe('a channel with an activated Session', () => {
  it('RI-30 may use the reconnect reserve of ReassemblyBytes, and one without may not', () => {
    const provider = createProvider();
    const leases = take(provider, ReassemblyBytes, '10.0.0.9', 1, 1_000);
    expect(provider.tryAcquire(ReassemblyBytes, provider.classify(anonymous), 1)).toMatchObject({
      reason: 'Capacity',
      usage: 1_000,
      limit: 1_000,
    });
    const owner = provider.classify(activated);
    leases.push(granted(provider.tryAcquire(ReassemblyBytes, owner, 500)));
    expect(provider.tryAcquire(ReassemblyBytes, owner, 1)).toMatchObject({ reason: 'Capacity', usage: 1_500, limit: 1_500 });
    disposeAll(leases);
    expectNothingInUse(provider);
  });

  it('RI-30 gets no other reserve by it', () => {
    const provider = createProvider();
    const owner = provider.classify(activated);
    for (const name of [
      'Connection',
      'Handshake',
      'RequestQueue',
      'RequestQueueBytes',
      'ParkedRequest',
      'RequestExecution',
      'SessionEstablishment',
    ] as const) {
      const { shared } = provider.plan.getStage(name);
      const lease = granted(provider.tryAcquire(Stage[name], owner, shared));
      expect(provider.tryAcquire(Stage[name], owner, 1), name).toMatchObject({ reason: 'Capacity', limit: shared });
      lease[Symbol.dispose]();
    }
  });

  it('RI-30 leaves the owner entry of real reconnect callers alone', () => {
    const classifier = new MapClassifier({ back: { key: 'back', ownerClass: 'Reconnect' } });
    const provider = createProvider({ maxTrackedOwners: 4 }, { classifier });
    const bound = granted(provider.tryAcquire(ReassemblyBytes, provider.classify(activated), 1));
    expect(provider.tryAcquire(ReassemblyBytes, provider.classify({ ...activated, address: '10.0.0.2' }), 1)).toMatchObject({
      reason: 'OwnerTableFull',
    });
    const back = take(provider, ReassemblyBytes, 'back', 1);
    disposeAll([bound, ...back]);
    expectNothingInUse(provider);
  });

  it('RI-30 an explicit mapping to shared capacity stays shared', () => {
    const classifier = new MapClassifier({ '10.0.0.1': { key: 'visitors', ownerClass: 'Shared' } });
    const provider = createProvider({}, { classifier });
    const owner = provider.classify({ ...activated, work: 'Control' });
    const all = granted(provider.tryAcquire(ReassemblyBytes, owner, 1_000));
    expect(provider.tryAcquire(ReassemblyBytes, owner, 1)).toMatchObject({ reason: 'Capacity', limit: 1_000 });
    all[Symbol.dispose]();
    const queue = granted(provider.tryAcquire(RequestQueue, owner, 100));
    expect(provider.tryAcquire(RequestQueue, owner, 1)).toMatchObject({ reason: 'Capacity', limit: 100 });
    queue[Symbol.dispose]();
  });

  it('RI-35 control work has its reserve with an activated Session only, and is charged to the same owner', () => {
    const provider = createProvider();
    const leases = take(provider, RequestQueue, '10.0.0.1', 100);
    expect(provider.tryAdmitRequest(provider.classify({ ...anonymous, work: 'Control' }), 100, false)).toMatchObject({
      reason: 'Capacity',
    });
    expect(provider.tryAdmitRequest(provider.classify(activated), 100, false)).toMatchObject({ reason: 'Capacity' });
    const control = granted(provider.tryAdmitRequest(provider.classify({ ...activated, work: 'Control' }), 100, false));
    expect(provider.tryAdmitRequest(provider.classify({ ...activated, work: 'Control' }), 100, false)).toMatchObject({
      reason: 'Capacity',
      limit: 101,
    });
    expect(provider.trackedOwnerCount).toBe(1);
    const reconnect = granted(provider.tryAdmitRequest(provider.classify({ ...activated, work: 'Reconnect' }), 100, false));
    disposeAll([...leases, control.queue, control.bytes, reconnect.queue, reconnect.bytes]);
    expectNothingInUse(provider);
  });
});

describe('a classifier', () => {
  it('RI-32 maps a connection before authentication; without an answer grouping is as ever', () => {
    const classifier = new MapClassifier({ '10.0.0.1': { key: 'gateway', ownerClass: 'Bootstrap' } });
    const provider = createProvider({}, { classifier });
    expect(provider.classifyIngress('::ffff:10.0.0.1')).toMatchObject({ key: 'gateway', ownerClass: 'Bootstrap' });
    expect(provider.classifyIngress('10.0.0.2')).toMatchObject({ key: 'address:10.0.0.2', ownerClass: 'Shared' });
    expect(provider.classify({ ...activated, userName: 'ann' }).key).toBe('gateway');
    expect(provider.classify({ ...activated, address: '10.0.0.2', userName: 'ann' }).key).toBe('user:ann');
  });

  it('RI-32 goes by what it says of a caller before what it says of an address', () => {
    const classifier: ResourceIsolationClassifier = {
      classifyIngress: () => ({ key: 'gateway', ownerClass: 'Bootstrap' }),
      classify: ({ userName }) => (userName === 'ann' ? { key: 'ann', ownerClass: 'Reconnect' } : undefined),
    };
    const provider = createProvider({}, { classifier });
    expect(provider.classify({ ...activated, userName: 'ann' }).key).toBe('ann');
    expect(provider.classify({ ...activated, userName: 'bob' }).key).toBe('gateway');
  });

  it('RI-32 sees nothing that is only claimed', () => {
    const seen: CallerEvidence[] = [];
    const classifier: ResourceIsolationClassifier = {
      classify: (evidence) => {
        seen.push(evidence);
        return undefined;
      },
    };
    const provider = createProvider({}, { classifier });
    provider.classify({ ...anonymous, applicationUri: 'urn:claimed', userName: 'ann', roles: ['i=15656'], work: 'Control' });
    expect(seen[0]).toEqual({ ...anonymous, roles: [], work: undefined });
    const verified: CallerEvidence = {
      address: '10.0.0.1',
      applicationThumbprint: thumbprint,
      applicationUri: 'urn:verified',
      userName: 'ann',
      hasActivatedSession: true,
      roles: ['i=15656'],
      work: 'Control',
    };
    provider.classify(verified);
    expect(seen[1]).toEqual(verified);
  });

  it('that throws or answers nonsense gets its caller refused, and nobody else', () => {
    const errors: unknown[] = [];
    const classifier: ResourceIsolationClassifier = {
      classifyIngress: (address) => {
        if (address === '10.0.0.1') throw new Error('broken');
        return address === '10.0.0.2' ? { key: 'x', ownerClass: 'Root' as 'Shared' } : undefined;
      },
    };
    const provider = createProvider({}, { classifier, onClassifierError: (error) => errors.push(error) });
    for (const address of ['10.0.0.1', '10.0.0.2']) {
      expect(provider.tryAcquire(RequestQueue, provider.classifyIngress(address), 1)).toMatchObject({ reason: 'InvalidOwner' });
    }
    expect(errors).toHaveLength(1);
    disposeAll(take(provider, RequestQueue, '10.0.0.3', 1));
    expectNothingInUse(provider);
  });
});

describe('ready-made classifiers', () => {
  const plant = { key: 'plant', ownerClass: 'Trusted' } as const;
  const office = { key: 'office', ownerClass: 'Shared' } as const;

  it('classify by address range, the first rule that has it', () => {
    const classifier = new AddressRangeClassifier([
      { ranges: ['192.168.7.5', '10.1.0.0/17', 'fd00:1::/33', '::ffff:172.16.0.0/108'], identity: plant },
      { ranges: ['10.0.0.0/8', '::/0'], identity: office },
    ]);
    const keyOf = (address: string): string | undefined => classifier.classifyIngress(address)?.key;
    for (const address of ['192.168.7.5', '10.1.0.1', '10.1.127.255', 'fd00:1:7fff::1', '172.31.255.255'])
      expect(keyOf(address), address).toBe('plant');
    for (const address of ['10.1.128.0', '10.255.0.1', 'fd00:1:8000::1', 'fd00:2::1']) expect(keyOf(address), address).toBe('office');
    for (const address of ['192.168.7.6', '172.32.0.0', '11.0.0.1', 'pipe', '']) expect(keyOf(address), address).toBeUndefined();
  });

  it.each(['10.0.0.0/33', '10.0.0/8', '10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', 'host', '::ffff:10.0.0.0/8'])(
    'refuse %s as a range and name it',
    (range) => {
      expect(() => new AddressRangeClassifier([{ ranges: ['10.0.0.1', range], identity: plant }])).toThrow('rules[0].ranges[1]');
    },
  );

  it('classify by application certificate, and by URI only with one', () => {
    const classifier = new ApplicationClassifier([
      { thumbprints: [thumbprint.toLowerCase().replaceAll(/(..)(?=.)/gu, '$1:')], identity: plant },
      { uris: ['urn:office'], thumbprints: ['CD'.repeat(20)], identity: office },
    ]);
    const keyOf = (applicationThumbprint: string | undefined, applicationUri?: string): string | undefined =>
      classifier.classify({ ...anonymous, applicationThumbprint, applicationUri })?.key;
    expect(keyOf(thumbprint)).toBe('plant');
    expect(keyOf(thumbprint.toLowerCase(), 'urn:office')).toBe('plant');
    expect(keyOf('EF'.repeat(20), 'urn:office')).toBe('office');
    expect(keyOf('CD'.repeat(20))).toBe('office');
    expect(keyOf(undefined, 'urn:office')).toBeUndefined();
    expect(keyOf('EF'.repeat(20), 'urn:other')).toBeUndefined();
    expect(() => new ApplicationClassifier([{ thumbprints: ['12'], identity: plant }])).toThrow('rules[0].thumbprints[0]');
    expect(() => new ApplicationClassifier([{ identity: plant }])).toThrow('rules[0]');
  });

  it('classify by user or role of an activated Session', () => {
    const classifier = new UserClassifier([
      { userNames: ['ann'], roles: ['i=15680'], identity: plant },
      { roles: ['i=15656', 'i=15668'], identity: office },
    ]);
    const keyOf = (evidence: Partial<CallerEvidence>): string | undefined => classifier.classify({ ...activated, ...evidence })?.key;
    expect(keyOf({ userName: 'ann' })).toBe('plant');
    expect(keyOf({ userName: 'bob', roles: ['i=15668', 'i=15680'] })).toBe('plant');
    expect(keyOf({ userName: 'bob', roles: ['i=15668'] })).toBe('office');
    expect(keyOf({ userName: 'bob' })).toBeUndefined();
    expect(keyOf({ userName: 'ann', hasActivatedSession: false })).toBeUndefined();
    expect(() => new UserClassifier([{ identity: plant }])).toThrow('rules[0]');
  });

  it('are asked one after the other', () => {
    const classifier = new FirstMatchClassifier([
      new UserClassifier([{ userNames: ['ann'], identity: plant }]),
      new AddressRangeClassifier([{ ranges: ['10.0.0.0/8'], identity: office }]),
    ]);
    expect(classifier.classify({ ...activated, userName: 'ann' })).toBe(plant);
    expect(classifier.classify(activated)).toBeUndefined();
    expect(classifier.classifyIngress('10.0.0.1')).toBe(office);
    expect(classifier.classifyIngress('11.0.0.1')).toBeUndefined();
  });

  it('a gateway of its own: the documented example has its reserve, its limit and its weight', () => {
    const classifier = new AddressRangeClassifier([{ ranges: ['192.0.2.10'], identity: { key: 'plant-control', ownerClass: 'Trusted' } }]);
    const provider = createProvider(
      {
        mode: 'TrustedReservations',
        stages: [{ stage: 'ReassemblyBytes', bootstrapReserved: 0 }],
        trustedOwners: [{ key: 'plant-control', weight: 4, reservations: [{ stage: 'RequestExecution', reserved: 2, hardLimit: 8 }] }],
      },
      { classifier },
    );
    const gateway = provider.classifyIngress('::ffff:192.0.2.10');
    expect(gateway).toMatchObject({ key: 'plant-control', ownerClass: 'Trusted', weight: 4 });
    const others = take(provider, RequestExecution, '10.0.0.1', 95);
    expect(provider.tryAcquire(RequestExecution, provider.classifyIngress('10.0.0.1'), 1)).toMatchObject({ reason: 'Capacity' });
    const own = [granted(provider.tryAcquire(RequestExecution, gateway, 2))];
    expect(provider.tryAcquire(RequestExecution, gateway, 1)).toMatchObject({ reason: 'Capacity' });
    disposeAll(others);
    own.push(granted(provider.tryAcquire(RequestExecution, gateway, 6)));
    expect(provider.tryAcquire(RequestExecution, gateway, 1)).toMatchObject({ reason: 'OwnerLimit', usage: 8, limit: 8 });
    disposeAll(own);
    expectNothingInUse(provider);
  });
});
