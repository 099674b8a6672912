import type { IncomingRequest, RequestSink, SecureChannelContext, ServiceContext, ServiceHandler } from '@bulkhead/contracts';
import type { ServiceHandlers } from '@bulkhead/dispatcher';
import { type Owner, Stage } from '@bulkhead/resource-isolation';
import { ActivateSessionRequest, PublishRequest, type RequestHeader } from '@bulkhead/types';
import type { AuditedProvider } from './audited-provider.ts';
import type { FairnessWatch } from './fairness-watch.ts';
import type { Findings } from './findings.ts';
import { isEstablishing, ObservedContext, ObservedRequest, RequestRecord, type RequestWatcher } from './observed-request.ts';
import type { Scheduling } from './options.ts';
import type { Tally } from './tally.ts';

type AnyHandler = ServiceHandler<object, object>;

/** Requests by where they are. */
export interface RequestCounts {
  queued: number;
  handled: number;
  parked: number;
  /** Of all those: may park. */
  parkable: number;
  /** Of those handled: CreateSession and ActivateSession. */
  establishing: number;
}

const NO_SESSION_NEEDED: ReadonlySet<string> = new Set(['CreateSession', 'ActivateSession', 'CloseSession']);

/** Stands on both sides of the dispatcher and knows where each request is, whatever the dispatcher thinks. */
export class RequestLedger implements RequestWatcher {
  /** Whether a live Session still vouches for a request that is to bring it back. */
  isReturning: (request: IncomingRequest) => boolean = () => true;
  readonly #findings: Findings;
  readonly #tally: Tally;
  readonly #provider: AuditedProvider;
  readonly #fairness: FairnessWatch;
  readonly #isInArrivalOrder: boolean;
  readonly #records: WeakMap<RequestHeader, RequestRecord> = new WeakMap();
  readonly #live: Set<RequestRecord> = new Set();
  readonly #heldBack: WeakSet<SecureChannelContext> = new WeakSet();
  /** Ended since the last look. */
  #ended: RequestRecord[] = [];

  constructor(findings: Findings, tally: Tally, provider: AuditedProvider, fairness: FairnessWatch, scheduling: Scheduling) {
    this.#isInArrivalOrder = scheduling === 'arrival';
    this.#findings = findings;
    this.#tally = tally;
    this.#provider = provider;
    this.#fairness = fairness;
  }

  counts(): RequestCounts {
    const counts: RequestCounts = { queued: 0, handled: 0, parked: 0, parkable: 0, establishing: 0 };
    for (const { phase, isParkable, service } of this.#live) {
      if (phase === 'queued' || phase === 'handled' || phase === 'parked') counts[phase]++;
      if (isParkable) counts.parkable++;
      if (service === 'CreateSession' || service === 'ActivateSession') counts.establishing++;
    }
    return counts;
  }

  /** What has ended was answered, unless nobody is there to take the answer. */
  checkAnswers(): void {
    for (const record of this.#ended) {
      if (record.phase === 'ended' && record.answerCount === 0 && record.incoming.channel.isOpen) {
        this.#findings.report(`${record.label} ended without an answer`);
      }
    }
    this.#ended = [];
  }

  /** What could go on has a turn ahead. @param isTurnDue whether there is one. */
  checkTurns(isTurnDue: boolean): void {
    if (isTurnDue) return;
    let isBehindOther = false;
    for (const record of this.#live) {
      if (record.waitsForTurn) this.#findings.report(`${record.label} waits for its next turn, and none is due`);
      if (!isBehindOther && this.#couldStart(record)) this.#findings.report(`${record.label} could start, and no turn is due`);
      if (this.#isInArrivalOrder && record.phase === 'queued' && !this.#heldBack.has(record.incoming.channel)) isBehindOther = true;
    }
  }

  leftQueue(record: RequestRecord): void {
    this.#end(record); // unless its handler is called now
    this.#fairness.left(record);
  }

  answered(record: RequestRecord): void {
    if (++record.answerCount > 1) this.#findings.report(`${record.label} was answered ${record.answerCount} times`);
  }

  parked(record: RequestRecord): void {
    if (record.phase === 'handled') record.phase = 'parked';
  }

  resumed(record: RequestRecord, context: ServiceContext): void {
    record.waitsForTurn = false;
    this.#tally.add('request resumed');
    this.#fairness.resumed(record);
    if (!context.signal.aborted) this.#checkSession(record, context);
  }

  /** Between connections and the dispatcher. */
  watchSink(sink: RequestSink): RequestSink {
    return {
      submit: (request) => this.#submit(sink, request),
      refuse: (request, error) => sink.refuse(request, error),
      requestAbandoned: (request) => sink.requestAbandoned(request),
      channelClosed: (channel) => sink.channelClosed(channel),
      channelHeldBack: (channel, isHeldBack) => {
        this.#tally.add(isHeldBack ? 'channel held back' : 'channel released');
        if (isHeldBack) this.#heldBack.add(channel);
        else this.#heldBack.delete(channel);
        sink.channelHeldBack(channel, isHeldBack);
      },
      onTurnEnd: (flush) => sink.onTurnEnd(flush),
    };
  }

  #submit(sink: RequestSink, incoming: IncomingRequest): void {
    const record = new RequestRecord(incoming, incoming.typeId === PublishRequest.binaryEncodingId);
    this.#records.set(incoming.header, record);
    sink.submit(new ObservedRequest(record, this));
    if (record.phase !== 'submitted') return;
    record.phase = 'queued';
    record.owner = this.#provider.lastAdmittedOwner;
    this.#live.add(record);
    this.#fairness.queued(record, this.#live);
  }

  /** Between the dispatcher and the services. */
  watchHandlers(handlers: ServiceHandlers): ServiceHandlers {
    const watched = Object.entries(handlers).map(([name, handler]) => [name, this.#watchHandler(name, handler as AnyHandler)]);
    return Object.fromEntries(watched) as ServiceHandlers;
  }

  #watchHandler(service: string, handler: AnyHandler): AnyHandler {
    return (request, context) => {
      const record = this.#records.get(context.header) as RequestRecord;
      record.service = service;
      record.phase = 'handled';
      this.#live.add(record);
      this.#fairness.started(record);
      this.#checkSession(record, context);
      const end = (): void => this.#end(record);
      try {
        const result = handler(request, new ObservedContext(record, context, this));
        if (result instanceof Promise) void result.then(end, end);
        else end();
        return result;
      } catch (error) {
        end();
        throw error;
      }
    };
  }

  #couldStart({ phase, owner, incoming }: RequestRecord): boolean {
    if (phase !== 'queued' || owner === undefined || this.#heldBack.has(incoming.channel)) return false;
    // Without its Session the request has no reserve any more.
    const isOrdinary =
      owner.work === 'Reconnect' && incoming.typeId === ActivateSessionRequest.binaryEncodingId && !this.isReturning(incoming);
    const charged = isOrdinary ? ordinary(owner) : owner;
    if (!this.#provider.hasRoom(Stage.RequestExecution, charged, 1)) return false;
    if (!isEstablishing(incoming) || this.#provider.hasRoom(Stage.SessionEstablishment, charged, 1)) return true;
    this.#tally.add('wait for a place');
    return false;
  }

  #end(record: RequestRecord): void {
    record.waitsForTurn = false;
    record.phase = 'ended';
    this.#live.delete(record);
    this.#ended.push(record);
  }

  #checkSession(record: RequestRecord, { session, channel }: ServiceContext): void {
    if (session === undefined || NO_SESSION_NEEDED.has(record.service)) return;
    if (!session.isActivated) this.#findings.report(`${record.label} runs for a Session that isn't active`);
    else if (session.channel !== channel) this.#findings.report(`${record.label} runs for a Session that is bound to another channel`);
    if (!channel.isOpen) this.#findings.report(`${record.label} runs for a closed channel`);
  }
}

function ordinary({ key, ownerClass, weight }: Owner): Owner {
  return { key, ownerClass, weight };
}
