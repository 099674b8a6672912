import type { RequestSink, TurnScheduler } from '@bulkhead/contracts';
import type {
  CallerEvidence,
  Lease,
  Owner,
  Refusal,
  RequestLeases,
  ResourceIsolationPlan,
  ResourceIsolationProvider,
  Stage,
} from '@bulkhead/resource-isolation';
import type { ManualTurns } from '@bulkhead/testkit';

/** Mistakes that a server could make, made on purpose to see that the simulation finds them. */
export const plantedFaults = ['leaseKeptOnAbort', 'floorBorrowed', 'turnLost', 'answeredTwice', 'answerForgotten'] as const;
export type PlantedFault = (typeof plantedFaults)[number];

/** Every so often a turn is lost, an answer is doubled or forgotten. */
const ONE_IN = 40;

/** Puts one fault where the server can't tell; without one, everything is passed on as it is. */
export class FaultPlan {
  readonly #fault: PlantedFault | undefined;
  #isClosingChannel = false;
  #countdown = ONE_IN;

  constructor(fault: PlantedFault | undefined) {
    this.#fault = fault;
  }

  /** Between the audit and the provider: lends the reserve for reconnecting callers to ordinary ones. */
  provider(inner: ResourceIsolationProvider): ResourceIsolationProvider {
    return this.#fault === 'floorBorrowed' ? new BorrowingProvider(inner) : inner;
  }

  /** Between the server and the audit: forgets to give back what a closed channel held. */
  leases(audited: ResourceIsolationProvider): ResourceIsolationProvider {
    return this.#fault === 'leaseKeptOnAbort' ? new ForgetfulProvider(audited, () => this.#isClosingChannel) : audited;
  }

  turns(turns: ManualTurns): TurnScheduler {
    if (this.#fault !== 'turnLost') return turns;
    return {
      defer: (run) => {
        if (!this.#isDue()) turns.defer(run);
      },
    };
  }

  sink(sink: RequestSink): RequestSink {
    const isAnswerFault = this.#fault === 'answeredTwice' || this.#fault === 'answerForgotten';
    return {
      submit: (request) => {
        if (isAnswerFault && this.#isDue()) this.#spoilAnswer(request);
        sink.submit(request);
      },
      refuse: (request, error) => sink.refuse(request, error),
      requestAbandoned: (request) => sink.requestAbandoned(request),
      channelHeldBack: (channel, isHeldBack) => sink.channelHeldBack(channel, isHeldBack),
      onTurnEnd: (flush) => sink.onTurnEnd(flush),
      channelClosed: (channel) => {
        this.#isClosingChannel = true;
        sink.channelClosed(channel);
        this.#isClosingChannel = false;
      },
    };
  }

  #spoilAnswer(request: Parameters<RequestSink['submit']>[0]): void {
    const respond = request.respond.bind(request);
    const times = this.#fault === 'answeredTwice' ? 2 : 0;
    request.respond = (...answer) => {
      for (let i = 0; i < times; i++) respond(...answer);
    };
  }

  #isDue(): boolean {
    if (--this.#countdown > 0) return false;
    this.#countdown = ONE_IN;
    return true;
  }
}

/** Passes everything on; the faults are in what is overridden. */
class PassingProvider implements ResourceIsolationProvider {
  protected readonly inner: ResourceIsolationProvider;

  constructor(inner: ResourceIsolationProvider) {
    this.inner = inner;
  }

  get plan(): ResourceIsolationPlan | undefined {
    return this.inner.plan;
  }

  get trackedOwnerCount(): number {
    return this.inner.trackedOwnerCount;
  }

  getUsage(stage: Stage): number {
    return this.inner.getUsage(stage);
  }

  classifyIngress(address: string): Owner {
    return this.inner.classifyIngress(address);
  }

  classify(evidence: CallerEvidence): Owner {
    return this.inner.classify(evidence);
  }

  classifyOn(channel: object, activation: object | undefined, evidence: CallerEvidence): Owner {
    return this.inner.classifyOn?.(channel, activation, evidence) ?? this.inner.classify(evidence);
  }

  channelClosed(channel: object): void {
    this.inner.channelClosed?.(channel);
  }

  onCapacity(listener: () => void): Disposable {
    return this.inner.onCapacity?.(listener) ?? { [Symbol.dispose]: () => undefined };
  }

  tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    return this.inner.tryAcquire(stage, owner, amount);
  }

  tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    return this.inner.tryAdmitRequest(owner, bytes, mayPark);
  }
}

class BorrowingProvider extends PassingProvider {
  override tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    const answer = super.tryAcquire(stage, owner, amount);
    if (answer.kind === 'lease' || answer.reason !== 'Capacity' || owner.ownerClass !== 'Shared') return answer;
    return super.tryAcquire(stage, { ...owner, key: owner.key, weight: owner.weight, ownerClass: 'Reconnect' }, amount);
  }
}

class ForgetfulProvider extends PassingProvider {
  readonly #forgets: () => boolean;

  constructor(inner: ResourceIsolationProvider, forgets: () => boolean) {
    super(inner);
    this.#forgets = forgets;
  }

  override tryAcquire(stage: Stage, owner: Owner, amount: number): Lease | Refusal {
    const answer = super.tryAcquire(stage, owner, amount);
    return answer.kind === 'lease' ? this.#forgetful(answer) : answer;
  }

  override tryAdmitRequest(owner: Owner, bytes: number, mayPark: boolean): RequestLeases | Refusal {
    const answer = super.tryAdmitRequest(owner, bytes, mayPark);
    if (answer.kind === 'refusal') return answer;
    const { queue, parked } = answer;
    return { kind: 'lease', queue, bytes: this.#forgetful(answer.bytes), parked };
  }

  #forgetful(lease: Lease): Lease {
    const dispose = (): void => {
      if (!this.#forgets()) lease[Symbol.dispose]();
    };
    return { kind: 'lease', stage: lease.stage, amount: lease.amount, [Symbol.dispose]: dispose };
  }
}
