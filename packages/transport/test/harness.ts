import type {
  IncomingRequest,
  RequestSink,
  RetainedBytesAccounts,
  SecureChannelContext,
  SessionContext,
  TurnScheduler,
} from '@bulkhead/contracts';
import type { SecureChannelEndpoints } from '@bulkhead/secure-channel';
import {
  createManualRuntime,
  type ManualRuntime,
  MemoryPeer,
  type MemoryTransport,
  type MemoryTransportOptions,
  MemoryTransportPair,
  RecordingOwners,
  RecordingProvider,
  rawHello,
  trackLeaks,
} from '@bulkhead/testkit';
import { ExtensionObject, MessageSecurityMode, NodeId, ReadRequest, ReadResponse, UserTokenType } from '@bulkhead/types';
import { decodeErrorMessage, type ErrorMessage } from '@bulkhead/uacp';
import { type ConnectionLimits, type ConnectionRateGate, UacpConnectionFactory } from '../src/index.ts';

/** Only SecurityPolicy None. */
export const noneEndpoints: SecureChannelEndpoints = {
  securityModes: (policy) => (policy.isSecure ? [] : [MessageSecurityMode.None]),
  identity: () => undefined,
  validateClientCertificate: () => Promise.resolve(),
};

/** Stands in for the dispatcher: answers each request with an empty ReadResponse, at once or when told. */
export class EchoSink implements RequestSink {
  readonly waiting: IncomingRequest[] = [];
  readonly closedChannels: SecureChannelContext[] = [];
  readonly heldBack: boolean[] = [];
  answersAtOnce = true;
  /** Length of a text in each response. */
  textLength = 0;
  readonly #turns: TurnScheduler;

  constructor(turns: TurnScheduler) {
    this.#turns = turns;
  }

  submit(request: IncomingRequest): void {
    if (this.answersAtOnce) this.answer(request);
    else this.waiting.push(request);
  }

  answer(request: IncomingRequest): void {
    request.leftQueue();
    const header = {
      requestHandle: request.header.requestHandle,
      serviceResult: 0,
      serviceDiagnostics: null,
      stringTable: this.textLength === 0 ? null : ['x'.repeat(this.textLength)],
      additionalHeader: ExtensionObject.NULL,
    };
    request.respond(ReadResponse as never, header, { results: null, diagnosticInfos: null }, 0);
  }

  answerWaiting(count: number = this.waiting.length): void {
    for (const request of this.waiting.splice(0, count)) this.answer(request);
  }

  refuse(): void {}

  requestAbandoned(): void {}

  channelHeldBack(_channel: SecureChannelContext, isHeldBack: boolean): void {
    this.heldBack.push(isHeldBack);
  }

  channelClosed(channel: SecureChannelContext): void {
    this.closedChannels.push(channel);
  }

  onTurnEnd(flush: () => void): void {
    this.#turns.defer(flush);
  }
}

/** An activated Session of `userName`. */
export function sessionOn(peer: MemoryPeer, userName = 'somebody'): SessionContext {
  return {
    sessionId: NodeId.numeric(1, peer.channel.channelId),
    sessionName: userName,
    identity: { kind: UserTokenType.UserName, name: userName, roles: [] },
    localeIds: [],
    channel: { channelId: peer.channel.channelId } as SecureChannelContext,
    clientApplicationUri: 'urn:client',
    isActivated: true,
    maxResponseMessageBytes: 0,
  };
}

export interface HarnessOptions {
  readonly limits?: Partial<ConnectionLimits>;
  readonly provider?: RecordingProvider;
  readonly rateGate?: ConnectionRateGate;
  readonly endpoints?: SecureChannelEndpoints;
  readonly runtime?: ManualRuntime;
  readonly retainedBytes?: RetainedBytesAccounts;
}

/** A factory with everything around it in memory. */
export class Harness {
  readonly runtime: ManualRuntime;
  readonly provider: RecordingProvider;
  readonly sink: EchoSink;
  readonly owners: RecordingOwners;
  readonly factory: UacpConnectionFactory;
  readonly #expectNoLeaks: () => Promise<void>;
  readonly #peers: MemoryPeer[] = [];
  /** The server's ends, in the order of their connections. */
  readonly serverTransports: MemoryTransport[] = [];

  constructor(options: HarnessOptions = {}) {
    this.runtime = options.runtime ?? createManualRuntime();
    this.provider = options.provider ?? new RecordingProvider();
    this.owners = new RecordingOwners(this.provider);
    this.sink = new EchoSink(this.runtime.turns);
    this.factory = new UacpConnectionFactory({
      runtime: this.runtime,
      provider: this.provider,
      sink: this.sink,
      owners: this.owners,
      endpoints: options.endpoints ?? noneEndpoints,
      ...(options.limits ? { limits: options.limits } : {}),
      ...(options.retainedBytes ? { retainedBytes: options.retainedBytes } : {}),
      ...(options.rateGate ? { rateGate: options.rateGate } : {}),
    });
    this.#expectNoLeaks = trackLeaks({ provider: this.provider, clock: this.runtime.clock });
  }

  /** Connects; a refused connection is closed, as a listener would do. */
  connect(options: MemoryTransportOptions = {}): MemoryPeer {
    const pair = new MemoryTransportPair(this.runtime.turns, options);
    const events = this.factory.accept(pair.server);
    if (events === undefined) pair.server.destroy();
    else pair.server.start(events);
    this.serverTransports.push(pair.server);
    const peer = new MemoryPeer(pair.client);
    this.#peers.push(peer);
    return peer;
  }

  /** A peer of another address. */
  connectFrom(address: string): MemoryPeer {
    return this.connect({ clientAddress: { address, port: 50_000 } });
  }

  /** Runs turns and settled promises until nothing happens any more. */
  async settle(): Promise<void> {
    do {
      this.runtime.turns.runAll();
      // Promises of an OpenSecureChannel settle over several microtasks.
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.runtime.turns.pending > 0);
  }

  /** A peer with an open SecureChannel. */
  async open(peer: MemoryPeer = this.connect()): Promise<MemoryPeer> {
    peer.send(rawHello());
    peer.send(peer.channel.openRequest());
    await this.settle();
    const [, opened] = peer.takeChunks();
    if (opened === undefined) throw new Error('no OPN response');
    peer.channel.acceptOpen(opened);
    return peer;
  }

  /** Closes all peers; whatever is left then is a leak. */
  async end(): Promise<void> {
    for (const peer of this.#peers) peer.transport.destroy();
    await this.settle();
    await this.factory.close();
    await this.#expectNoLeaks();
  }
}

/** The ERR that the server sent last. */
export function takeError(peer: MemoryPeer): ErrorMessage {
  const chunk = peer.takeChunks().at(-1);
  if (chunk === undefined) throw new Error('nothing came');
  return decodeErrorMessage(chunk);
}

export function readRequest(peer: MemoryPeer, requestHandle = 0): void {
  peer.sendRequest(ReadRequest, { requestHeader: { ...ReadRequest.create().requestHeader, requestHandle } });
}
