import type {
  CallerOwners,
  IncomingRequest,
  OutgoingResponseHeader,
  Runtime,
  SecureChannelContext,
  SessionContext,
  SessionResolver,
  Timer,
  UserIdentity,
} from '@bulkhead/contracts';
import {
  type Owner,
  type ProtectedWork,
  type ResourceIsolationProvider,
  SharedResourceIsolationProvider,
  Stage,
  stageNames,
} from '@bulkhead/resource-isolation';
import {
  BinaryWriter,
  CancelRequest,
  createRequestHeader,
  DateTime,
  encodeRequestHeader,
  MessageSecurityMode,
  NodeId,
  PublishRequest,
  ReadRequest,
  type RequestHeader,
  type RequestType,
  type ResponseType,
  StatusCodes,
  UaStatusError,
  UserTokenType,
} from '@bulkhead/types';
import { RequestDispatcher, type RequestDispatcherOptions, type ServiceHandlers } from '../src/index.ts';

/** A clock, timers and turns that only the test moves. */
export class TestRuntime implements Runtime {
  nowMs = 0;
  readonly logged: { event: string; fields: Readonly<Record<string, unknown>> | undefined }[] = [];
  readonly #timers: Set<{ dueMs: number; run: () => void }> = new Set();
  #deferred: (() => void)[] = [];
  readonly clock = { nowMs: () => this.nowMs, utcNow: () => DateTime.fromUnixMs(1_700_000_000_000 + this.nowMs) };
  readonly timers = {
    after: (delayMs: number, run: () => void): Timer => {
      const timer = { dueMs: this.nowMs + delayMs, run };
      this.#timers.add(timer);
      return { cancel: () => this.#timers.delete(timer) };
    },
  };
  readonly turns = { defer: (run: () => void) => void this.#deferred.push(run) };
  readonly random = { bytes: (byteCount: number) => Buffer.alloc(byteCount, 7) };
  readonly log = {
    isEnabled: () => true,
    log: (_level: string, event: string, fields?: Readonly<Record<string, unknown>>) => void this.logged.push({ event, fields }),
  };

  get pendingTimers(): number {
    return this.#timers.size;
  }

  get hasPendingTurn(): boolean {
    return this.#deferred.length > 0;
  }

  /** One turn of the event loop, with the microtasks after it. */
  async turn(): Promise<void> {
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const run of deferred) run();
    await settled();
  }

  /** Turns until nothing is left to do. */
  async idle(): Promise<number> {
    await settled();
    let turns = 0;
    for (; this.hasPendingTurn; turns++) {
      if (turns > 10_000) throw new Error('never idle');
      await this.turn();
    }
    return turns;
  }

  advance(ms: number): void {
    this.nowMs += ms;
    for (const timer of [...this.#timers].sort((a, b) => a.dueMs - b.dueMs)) {
      if (timer.dueMs <= this.nowMs && this.#timers.delete(timer)) timer.run();
    }
  }
}

export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

export class TestChannel implements SecureChannelContext {
  readonly channelId: number;
  readonly transportProfileUri = 'tcp';
  readonly endpointUrl = 'opc.tcp://localhost:4840';
  readonly remote: { address: string; port: number };
  readonly securityPolicyUri = 'http://opcfoundation.org/UA/SecurityPolicy#None';
  readonly securityMode = MessageSecurityMode.None;
  readonly clientCertificate = undefined;
  readonly serverCertificate = undefined;
  isOpen = true;

  constructor(channelId: number, address = '10.0.0.1') {
    this.channelId = channelId;
    this.remote = { address, port: 1 };
  }
}

export class TestSession implements SessionContext {
  readonly sessionId: NodeId;
  readonly sessionName = 'test';
  identity: UserIdentity;
  readonly localeIds: readonly string[] = [];
  channel: SecureChannelContext;
  readonly clientApplicationUri = 'urn:test';
  isActivated = true;
  readonly maxResponseMessageBytes = 0;

  constructor(id: number, channel: SecureChannelContext, userName?: string) {
    this.sessionId = NodeId.numeric(1, id);
    this.channel = channel;
    this.identity = { kind: userName === undefined ? UserTokenType.Anonymous : UserTokenType.UserName, name: userName, roles: [] };
  }
}

export class TestSessions implements SessionResolver {
  readonly byToken: Map<number, TestSession> = new Map();
  readonly expired: Set<SessionContext> = new Set();

  resolve(authenticationToken: NodeId, channel: SecureChannelContext, needsActivation: boolean): TestSession {
    const session = this.byToken.get(authenticationToken.identifier as number);
    if (session === undefined || this.expired.has(session)) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'unknown token');
    if (session.channel !== channel) throw new UaStatusError(StatusCodes.BadSecureChannelIdInvalid, 'other channel');
    if (needsActivation && !session.isActivated) throw new UaStatusError(StatusCodes.BadSessionNotActivated, 'not activated');
    return session;
  }

  isBound(session: SessionContext, channel: SecureChannelContext): boolean {
    return session.isActivated && session.channel === channel && !this.expired.has(session);
  }

  findReturning(authenticationToken: NodeId, channel: SecureChannelContext): TestSession | undefined {
    const session = this.byToken.get(authenticationToken.identifier as number);
    return session?.isActivated === true && session.channel !== channel ? session : undefined;
  }
}

/** Owners by user, else by address, as the server's own has them. */
export class TestOwners implements CallerOwners {
  readonly #provider: ResourceIsolationProvider;

  constructor(provider: ResourceIsolationProvider) {
    this.#provider = provider;
  }

  ownerOf(channel: SecureChannelContext, session: SessionContext | undefined, work?: ProtectedWork): Owner {
    const isBound = session?.isActivated === true && session.channel === channel;
    const vouches = isBound || (session?.isActivated === true && work === 'Reconnect');
    return this.#provider.classify({
      address: channel.remote.address,
      applicationThumbprint: undefined,
      applicationUri: undefined,
      userName: isBound ? session.identity.name : undefined,
      hasActivatedSession: vouches,
      work: vouches ? work : undefined,
    });
  }

  channelClosed(): void {}
}

export interface TestAnswer {
  readonly type: ResponseType<unknown>;
  readonly header: OutgoingResponseHeader;
  readonly body: unknown;
  readonly maxBytes: number;
}

export class TestRequest implements IncomingRequest {
  readonly channel: SecureChannelContext;
  readonly requestId: number;
  readonly typeId: number;
  readonly header: RequestHeader;
  message: Buffer;
  readonly bodyStart: number;
  readonly receivedAtMs: number;
  readonly answers: TestAnswer[] = [];
  leftQueueCount = 0;
  /** Fails the next respond calls, as a response that is too large does. */
  readonly respondErrors: UaStatusError[] = [];

  constructor(
    channel: SecureChannelContext,
    typeId: number,
    header: RequestHeader,
    message: Buffer,
    bodyStart: number,
    receivedAtMs: number,
  ) {
    this.channel = channel;
    this.requestId = header.requestHandle;
    this.typeId = typeId;
    this.header = header;
    this.message = message;
    this.bodyStart = bodyStart;
    this.receivedAtMs = receivedAtMs;
  }

  respond(type: ResponseType<unknown>, header: OutgoingResponseHeader, body: unknown, maxBytes: number): void {
    const error = this.respondErrors.shift();
    if (error !== undefined) throw error;
    this.answers.push({ type, header, body, maxBytes });
  }

  leftQueue(): void {
    this.leftQueueCount++;
  }

  releaseMessage(): void {
    this.message = Buffer.alloc(0);
  }

  /** ServiceResult of the one answer; undefined while there is none. */
  get result(): number | undefined {
    if (this.answers.length > 1) throw new Error(`${this.answers.length} answers`);
    return this.answers[0]?.header.serviceResult;
  }
}

export const TOTALS = {
  Connection: 1_000,
  Handshake: 1_000,
  ReassemblyBytes: 1_000_000,
  RequestQueue: 10_000,
  RequestQueueBytes: 10_000_000,
  ParkedRequest: 100,
  RequestExecution: 100,
  SessionEstablishment: 10,
};

export interface HarnessOptions extends Partial<RequestDispatcherOptions> {
  /** Default: one of mode SharedOnly with these totals. */
  readonly provider?: ResourceIsolationProvider;
  readonly totals?: Partial<typeof TOTALS>;
}

export class Harness {
  readonly runtime: TestRuntime = new TestRuntime();
  readonly sessions: TestSessions = new TestSessions();
  readonly provider: ResourceIsolationProvider;
  readonly dispatcher: RequestDispatcher;
  readonly requests: TestRequest[] = [];
  #nextToken = 1;
  #nextHandle = 1;

  constructor(handlers: ServiceHandlers, options: HarnessOptions = {}) {
    this.provider = options.provider ?? new SharedResourceIsolationProvider({ totals: { ...TOTALS, ...options.totals } });
    this.dispatcher = new RequestDispatcher({
      runtime: this.runtime,
      provider: this.provider,
      owners: new TestOwners(this.provider),
      sessions: this.sessions,
      handlers,
      maxMessageBytes: 100,
      ...options,
    });
  }

  /** A session on a channel of its own, or on the given one. @returns its token too. */
  openSession(
    address = '10.0.0.1',
    channel = new TestChannel(this.#nextToken, address),
    userName?: string,
  ): { session: TestSession; channel: TestChannel; token: number } {
    const token = this.#nextToken++;
    const session = new TestSession(token, channel, userName);
    this.sessions.byToken.set(token, session);
    return { session, channel, token };
  }

  submit<T extends { requestHeader: RequestHeader }>(
    from: { channel: SecureChannelContext; token: number },
    type: RequestType<T>,
    fields: Partial<T> = {},
    header: Partial<RequestHeader> = {},
  ): TestRequest {
    const requestHeader = createRequestHeader({
      authenticationToken: NodeId.numeric(0, from.token),
      requestHandle: this.#nextHandle++,
      ...header,
    });
    const whole = new BinaryWriter();
    type.encode(whole, type.create({ ...fields, requestHeader } as Partial<T>));
    const message = Buffer.from(whole.toBuffer());
    const bodyStart = headerLength(requestHeader);
    const request = new TestRequest(from.channel, type.binaryEncodingId, requestHeader, message, bodyStart, this.runtime.nowMs);
    this.requests.push(request);
    this.dispatcher.submit(request);
    return request;
  }

  read(from: { channel: SecureChannelContext; token: number }, header: Partial<RequestHeader> = {}): TestRequest {
    return this.submit(from, ReadRequest, {}, header);
  }

  publish(from: { channel: SecureChannelContext; token: number }, header: Partial<RequestHeader> = {}): TestRequest {
    return this.submit(from, PublishRequest, {}, header);
  }

  cancelService(from: { channel: SecureChannelContext; token: number }, requestHandle: number): TestRequest {
    return this.submit(from, CancelRequest, { requestHandle });
  }

  /** Stages that hold something, and what. */
  usage(): Record<string, number> {
    const used = stageNames.map((name) => [name, this.provider.getUsage(Stage[name])] as const);
    return Object.fromEntries(used.filter(([, amount]) => amount !== 0));
  }
}

function headerLength(header: RequestHeader): number {
  const writer = new BinaryWriter();
  encodeRequestHeader(writer, header);
  return writer.toBuffer().length;
}

/** A promise and its two ends. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
