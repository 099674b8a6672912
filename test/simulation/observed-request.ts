import type {
  IncomingRequest,
  OutgoingResponseHeader,
  SecureChannelContext,
  ServiceContext,
  SessionContext,
  TimeSlice,
} from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import { ActivateSessionRequest, CreateSessionRequest, type RequestHeader, type ResponseType } from '@bulkhead/types';

/** Where a request is, as what is called for it shows. */
export type RequestPhase = 'submitted' | 'queued' | 'handled' | 'parked' | 'ended';

/** What is noted of one request. */
export class RequestRecord {
  readonly incoming: IncomingRequest;
  readonly isParkable: boolean;
  phase: RequestPhase = 'submitted';
  service = '';
  answerCount = 0;
  /** Its handler has let others in and waits for its next turn. */
  waitsForTurn = false;
  /** Whom it was charged to when it was admitted. */
  owner: Owner | undefined;

  constructor(incoming: IncomingRequest, isParkable: boolean) {
    this.incoming = incoming;
    this.isParkable = isParkable;
  }

  /** Requests of one Session on one channel take turns as one. */
  get flow(): string {
    return `${this.incoming.channel.channelId}/${this.incoming.header.authenticationToken.toString()}`;
  }

  get label(): string {
    return `request ${this.incoming.requestId} of channel ${this.incoming.channel.channelId} ${this.service}`;
  }
}

/** Who is told of what happens to requests. */
export interface RequestWatcher {
  leftQueue(record: RequestRecord): void;
  answered(record: RequestRecord): void;
  parked(record: RequestRecord): void;
  /** It goes on after it had let others in. */
  resumed(record: RequestRecord, context: ServiceContext): void;
}

/** A request on its way to the dispatcher. */
export class ObservedRequest implements IncomingRequest {
  readonly #record: RequestRecord;
  readonly #inner: IncomingRequest;
  readonly #watcher: RequestWatcher;

  constructor(record: RequestRecord, watcher: RequestWatcher) {
    this.#record = record;
    this.#inner = record.incoming;
    this.#watcher = watcher;
  }

  get channel(): SecureChannelContext {
    return this.#inner.channel;
  }

  get requestId(): number {
    return this.#inner.requestId;
  }

  get typeId(): number {
    return this.#inner.typeId;
  }

  get header(): RequestHeader {
    return this.#inner.header;
  }

  get message(): Buffer {
    return this.#inner.message;
  }

  get bodyStart(): number {
    return this.#inner.bodyStart;
  }

  get receivedAtMs(): number {
    return this.#inner.receivedAtMs;
  }

  respond(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): void {
    this.#inner.respond(type, header, body, maxBytes);
    this.#watcher.answered(this.#record);
  }

  leftQueue(): void {
    this.#watcher.leftQueue(this.#record);
    this.#inner.leftQueue();
  }

  releaseMessage(): void {
    this.#inner.releaseMessage();
  }
}

/** What a handler gets, watched. */
export class ObservedContext implements ServiceContext, TimeSlice {
  readonly #record: RequestRecord;
  readonly #inner: ServiceContext;
  readonly #watcher: RequestWatcher;

  constructor(record: RequestRecord, inner: ServiceContext, watcher: RequestWatcher) {
    this.#record = record;
    this.#inner = inner;
    this.#watcher = watcher;
  }

  get channel(): SecureChannelContext {
    return this.#inner.channel;
  }

  get session(): SessionContext | undefined {
    return this.#inner.session;
  }

  get header(): RequestHeader {
    return this.#inner.header;
  }

  get slice(): TimeSlice {
    return this;
  }

  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  get deadlineMs(): number {
    return this.#inner.deadlineMs;
  }

  notifyParked(): void {
    this.#inner.notifyParked();
    this.#watcher.parked(this.#record);
  }

  isSpent(): boolean {
    return this.#inner.slice.isSpent();
  }

  next(): Promise<void> {
    const turn = this.#inner.slice.next();
    this.#record.waitsForTurn = true;
    // Beside the handler's own continuation, which must not run any later for being watched.
    void turn.then(() => this.#watcher.resumed(this.#record, this.#inner));
    return turn;
  }
}

const ESTABLISHING: ReadonlySet<number> = new Set([CreateSessionRequest.binaryEncodingId, ActivateSessionRequest.binaryEncodingId]);

/** Whether it makes or activates a Session. */
export function isEstablishing({ typeId }: IncomingRequest): boolean {
  return ESTABLISHING.has(typeId);
}
