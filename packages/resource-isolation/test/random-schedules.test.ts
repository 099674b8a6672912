import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DefaultResourceIsolationProvider,
  type Lease,
  type Owner,
  type RefusalReason,
  type ResourceIsolationOptions,
  type ServerLimits,
  Stage,
  stageNames,
} from '../src/index.ts';
import { createProvider, expectNothingInUse, smallLimits } from './fixtures.ts';

const stages = stageNames.map((name) => Stage[name]);

/** Everybody that takes part. The last two have no configured owner, or an impossible key. */
const owners: readonly Owner[] = [
  ...['a', 'b', 'c', 'd', 'e'].map((key): Owner => ({ key, ownerClass: 'Shared', weight: 1 })),
  { key: 'a', ownerClass: 'Shared', weight: 1, isSessionBound: true },
  { key: 'b', ownerClass: 'Shared', weight: 1, work: 'Control' },
  { key: 'c', ownerClass: 'Shared', weight: 1, work: 'Reconnect' },
  { key: 'a', ownerClass: 'Bootstrap', weight: 1 },
  { key: 'f', ownerClass: 'Bootstrap', weight: 1 },
  { key: 'g', ownerClass: 'Reconnect', weight: 1 },
  { key: 'h', ownerClass: 'Control', weight: 1 },
  { key: 'plant', ownerClass: 'Trusted', weight: 1 },
  { key: 'lab', ownerClass: 'Trusted', weight: 1 },
  { key: 'nobody', ownerClass: 'Trusted', weight: 1 },
  { key: '', ownerClass: 'Shared', weight: 1 },
];

const modes: readonly ResourceIsolationOptions[] = [
  { mode: 'FairShare', maxTrackedOwners: 6, stages: stageNames.map((stage) => ({ stage, ...small(stage, 0) })) },
  {
    mode: 'Balanced',
    maxTrackedOwners: 6,
    stages: stageNames.map((stage) => ({ stage, ...small(stage, 0), ...keptForIdleOwners(stage) })),
  },
  {
    mode: 'TrustedReservations',
    maxTrackedOwners: 9,
    stages: stageNames.map((stage) => ({ stage, ...small(stage, 2), ...keptForIdleOwners(stage) })),
    trustedOwners: [
      { key: 'plant', reservations: [{ stage: 'RequestExecution', reserved: 2, hardLimit: 3 }] },
      { key: 'lab', reservations: [{ stage: 'RequestQueue', reserved: 0 }] },
    ],
  },
];

/** Few of everything, so that schedules run into all limits. */
function small(stage: (typeof stageNames)[number], trustedCount: number): { capacity?: number; ownerHardLimit?: number } {
  if (stage === 'ReassemblyBytes') return { ownerHardLimit: 700 };
  if (stage === 'RequestQueueBytes') return { capacity: 900, ownerHardLimit: 400 };
  if (stage === 'Connection') return {};
  return { capacity: 6 + trustedCount, ownerHardLimit: 3 };
}

function keptForIdleOwners(stage: (typeof stageNames)[number]): { keptForIdleOwners?: number } {
  return stage === 'RequestExecution' ? { keptForIdleOwners: 1 } : {};
}

function limitsOf({ mode }: ResourceIsolationOptions): ServerLimits {
  const maxBytes = mode === 'FairShare' ? 1_000 : mode === 'Balanced' ? 2_000 : 3_000;
  return {
    ...smallLimits,
    maxSessionCount: 1,
    maxChannelCount: 9,
    maxParkedRequestCount: 8,
    maxConcurrentSessionEstablishment: 8,
    reassemblyBudget: { maxBytes },
  };
}

interface Charge {
  readonly stage: Stage;
  readonly owner: Owner;
  readonly amount: number;
  readonly lease: Lease;
}

/** What the rules say, from the live charges alone and written down in the plainest way. */
class Oracle {
  readonly charges: Charge[] = [];
  readonly #provider: DefaultResourceIsolationProvider;

  constructor(provider: DefaultResourceIsolationProvider) {
    this.#provider = provider;
  }

  expected(stage: Stage, owner: Owner, amount: number): RefusalReason | undefined {
    const { plan } = this.#provider;
    const trusted = plan.trustedOwners.find(({ key }) => key === owner.key);
    if (owner.ownerClass === 'Trusted' ? trusted === undefined : owner.key === '') return 'InvalidOwner';
    const limit = owner.ownerClass === 'Trusted' ? (trusted?.hardLimits[stage] as number) : plan.getStage(stage).ownerHardLimit;
    if (this.sum(stage, (charge) => identity(charge.owner) === identity(owner)) + amount > limit) return 'OwnerLimit';
    if (!this.hasEntryFor(owner)) return 'OwnerTableFull';
    const used = this.sharedUse(stage, { stage, owner, amount });
    // What fits into the owner's reserve takes nothing that is shared.
    if (used === this.sharedUse(stage)) return undefined;
    return used > plan.getStage(stage).shared - this.keptFromBusy(stage, owner) ? 'Capacity' : undefined;
  }

  sum(stage: Stage, matches: (charge: Charge) => boolean = () => true): number {
    return this.charges.filter((charge) => charge.stage === stage && matches(charge)).reduce((sum, { amount }) => sum + amount, 0);
  }

  /** What doesn't fit into the reserves, were `extra` charged too. */
  sharedUse(stage: Stage, extra?: Omit<Charge, 'lease'>): number {
    const byPool = new Map<string, number>();
    for (const charge of extra === undefined ? this.charges : [...this.charges, extra]) {
      if (charge.stage !== stage) continue;
      const pool = poolName(stage, charge.owner);
      byPool.set(pool, (byPool.get(pool) ?? 0) + charge.amount);
    }
    return [...byPool].reduce((sum, [pool, used]) => sum + Math.max(0, used - this.reserve(stage, pool)), 0);
  }

  keptFromBusy(stage: Stage, owner: Owner): number {
    const isBusy = this.charges.some((charge) => charge.stage === stage && identity(charge.owner) === identity(owner));
    const isAlone = new Set(this.charges.map((charge) => identity(charge.owner))).size <= 1;
    return isBusy && !isAlone ? this.#provider.plan.getStage(stage).keptForIdleOwners : 0;
  }

  reserve(stage: Stage, pool: string): number {
    const { bootstrap, reconnect, control } = this.#provider.plan.getStage(stage);
    const classes: Record<string, number> = { Shared: 0, Bootstrap: bootstrap, Reconnect: reconnect, Control: control };
    return classes[pool] ?? (this.#provider.plan.trustedOwners.find(({ key }) => `Trusted ${key}` === pool)?.reserved[stage] as number);
  }

  hasEntryFor(owner: Owner): boolean {
    const live = new Map(this.charges.map((charge) => [identity(charge.owner), charge.owner.ownerClass]));
    if (live.has(identity(owner)) || owner.ownerClass === 'Trusted') return true;
    live.set(identity(owner), owner.ownerClass);
    const { plan } = this.#provider;
    const classes = ['Shared', 'Bootstrap', 'Reconnect', 'Control'] as const;
    const reserved = (ownerClass: (typeof classes)[number]): number => plan.reservedEntries(ownerClass);
    const spilled = classes.reduce((sum, ownerClass) => {
      const count = [...live.values()].filter((each) => each === ownerClass).length;
      return sum + Math.max(0, count - reserved(ownerClass));
    }, 0);
    const kept = classes.reduce((sum, ownerClass) => sum + reserved(ownerClass), plan.trustedOwners.length);
    return spilled <= plan.maxTrackedOwners - kept;
  }
}

function identity({ ownerClass, key }: Owner): string {
  return `${ownerClass} ${key}`;
}

function poolName(stage: Stage, owner: Owner): string {
  if (owner.ownerClass === 'Trusted') return identity(owner);
  if (owner.ownerClass !== 'Shared') return owner.ownerClass;
  if (owner.isSessionBound && stage === Stage.ReassemblyBytes) return 'Reconnect';
  const isDecoded = ['RequestQueue', 'RequestQueueBytes', 'ParkedRequest', 'RequestExecution'].includes(stageNames[stage] as string);
  if (owner.work === 'Control' && isDecoded) return 'Control';
  if (owner.work === 'Reconnect' && (isDecoded || stage === Stage.SessionEstablishment)) return 'Reconnect';
  return 'Shared';
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('acquire' as const), stage: fc.nat(7), owner: fc.nat(owners.length - 1), size: fc.nat(9) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('admit' as const), owner: fc.nat(owners.length - 1), size: fc.nat(9), mayPark: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('release' as const), which: fc.nat(1_000), times: fc.integer({ min: 1, max: 2 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function amountAt(stage: Stage, size: number): number {
  if (stage === Stage.ReassemblyBytes) return 1 + size * 90;
  return stage === Stage.RequestQueueBytes ? 1 + size * 40 : 1 + (size >> 3);
}

function run(provider: DefaultResourceIsolationProvider, oracle: Oracle, each: Step): void {
  if (each.kind === 'release') {
    const [charge] = oracle.charges.splice(oracle.charges.length === 0 ? 0 : each.which % oracle.charges.length, 1);
    for (let time = 0; time < each.times; time++) charge?.lease[Symbol.dispose]();
    return;
  }
  const owner = owners[each.owner] as Owner;
  if (each.kind === 'acquire') {
    const stage = each.stage as Stage;
    const amount = amountAt(stage, each.size);
    const expected = oracle.expected(stage, owner, amount);
    const answer = provider.tryAcquire(stage, owner, amount);
    expect(answer.kind === 'refusal' ? answer.reason : undefined).toBe(expected);
    if (answer.kind === 'lease') oracle.charges.push({ stage, owner, amount, lease: answer });
    return;
  }
  const wanted: [Stage, number][] = [
    [Stage.RequestQueue, 1],
    [Stage.RequestQueueBytes, amountAt(Stage.RequestQueueBytes, each.size)],
  ];
  if (each.mayPark) wanted.push([Stage.ParkedRequest, 1]);
  const refusing = wanted.find(([stage, amount]) => oracle.expected(stage, owner, amount) !== undefined);
  const answer = provider.tryAdmitRequest(owner, wanted[1]?.[1] as number, each.mayPark);
  expect(answer.kind === 'refusal' ? answer.stage : undefined).toBe(refusing?.[0]);
  if (answer.kind === 'refusal') return;
  const leases = [answer.queue, answer.bytes, answer.parked];
  for (const [at, [stage, amount]] of wanted.entries()) oracle.charges.push({ stage, owner, amount, lease: leases[at] as Lease });
}

/** One comparison for everything: this runs after each step. */
function checkInvariants(provider: DefaultResourceIsolationProvider, oracle: Oracle): void {
  const { plan } = provider;
  const owners = new Set(oracle.charges.map(({ owner }) => identity(owner)));
  const used = stages.map((stage) => oracle.sum(stage));
  const exceeded = stages.filter((stage) => {
    const { total, shared } = plan.getStage(stage);
    return (used[stage] as number) > total || oracle.sharedUse(stage) > shared;
  });
  expect({
    used: stages.map((stage) => provider.getUsage(stage)),
    budget: provider.reassemblyBudget.usedBytes,
    owners: provider.trackedOwnerCount,
    exceeded,
    isTableExceeded: owners.size > plan.maxTrackedOwners,
  }).toEqual({ used, budget: used[Stage.ReassemblyBytes], owners: owners.size, exceeded: [], isTableExceeded: false });
}

describe('random schedules', () => {
  it.each(modes.map((options) => [options.mode, options] as const))(
    'RI-04 RI-07 in %s every answer is what the rules say, no limit or reserve is exceeded, and all goes back to 0',
    (_mode, options) => {
      fc.assert(
        fc.property(fc.array(step, { minLength: 20, maxLength: 200, size: 'max' }), (steps) => {
          const provider = createProvider(options, { classifier: {} }, limitsOf(options));
          const oracle = new Oracle(provider);
          for (const each of steps) {
            run(provider, oracle, each);
            checkInvariants(provider, oracle);
          }
          for (const { lease } of oracle.charges) lease[Symbol.dispose]();
          for (const { lease } of oracle.charges) lease[Symbol.dispose]();
          expectNothingInUse(provider);
        }),
        { numRuns: 60 },
      );
    },
  );
});
