import type { ByteTransport, ByteTransportEvents, RemoteAddress, SessionContext } from '@bulkhead/contracts';
import type { Owner } from '@bulkhead/resource-isolation';
import type { ServerChannelEvent } from '@bulkhead/secure-channel';
import { type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import {
  acknowledgeOf,
  ChunkFramer,
  decodeErrorMessage,
  decodeHello,
  encodeAcknowledge,
  encodeReverseHello,
  MIN_BUFFER_BYTES,
  negotiate,
  readMessageType,
} from '@bulkhead/uacp';
import { ChannelCaller } from './channel-caller.ts';
import { type CloseReason, closeReasonOf } from './close-reason.ts';
import type { ConnectionLeases } from './connection-admission.ts';
import { ConnectionDeadlines, type DeadlineSource } from './connection-deadlines.ts';
import type { ConnectionEnvironment } from './connection-environment.ts';
import type { ConnectionStart } from './connection-start.ts';
import { type ConnectionState, isExpected } from './connection-state.ts';
import { errorReply, nameOfStatus } from './error-reply.ts';
import type { OutgoingStart } from './outgoing-connection.ts';
import { ReadBlocker, ReadGate } from './read-gate.ts';
import { type ExchangeEvents, RequestExchange } from './request-exchange.ts';
import type { ServerChannel } from './server-channel.ts';
import type { UnsentHolder, UnsentShare } from './unsent-bytes.ts';
import { WriteQueue } from './write-queue.ts';

/**
 * Drives one transport through HEL, OPN and MSG to CLO: bytes to requests, responses to bytes. Owns the transport, the
 * channel, the leases and the one timer of the connection, and frees them in one place. OPC 10000-6 §6.7, §7.1.
 */
export class UacpConnection implements ByteTransportEvents, ExchangeEvents, UnsentHolder, DeadlineSource {
  readonly #environment: ConnectionEnvironment;
  readonly #transport: ByteTransport;
  readonly #leases: ConnectionLeases;
  readonly #caller: ChannelCaller;
  readonly #framer: ChunkFramer;
  readonly #writes: WriteQueue;
  readonly #unsent: UnsentShare;
  readonly #gate: ReadGate;
  readonly #deadlines: ConnectionDeadlines;
  readonly #outgoing: OutgoingStart | undefined;
  #state: ConnectionState = 'awaitingHello';
  #channel: ServerChannel | undefined;
  #exchange: RequestExchange | undefined;
  #openedAtMs = Infinity;
  #closeReason: CloseReason = 'PeerClosed';
  /** What came after this side had closed. */
  #discardedBytes = 0;

  /**
   * @param leases admitted before this was made; given back by this.
   */
  constructor(environment: ConnectionEnvironment, transport: ByteTransport, leases: ConnectionLeases, start: ConnectionStart) {
    const { outgoing } = start;
    const { runtime, limits } = environment;
    this.#environment = environment;
    this.#transport = transport;
    this.#leases = leases;
    this.#caller = new ChannelCaller(environment.provider, environment.owners, leases.owner);
    // A Hello is short; what is larger is refused on its header.
    this.#framer = new ChunkFramer(MIN_BUFFER_BYTES, environment.blockPool);
    this.#writes = new WriteQueue(transport, runtime.clock, limits.slowReaderTimeoutMs);
    this.#unsent = environment.unsent.join(this);
    this.#gate = new ReadGate(transport, environment.readTurns, () => this.#parse());
    this.#outgoing = outgoing;
    this.#deadlines = new ConnectionDeadlines(runtime, limits, this, start);
    environment.registry.add(this);
    if (outgoing !== undefined) this.#sendNow([encodeReverseHello(outgoing.reverseHello)]);
    this.#deadlines.arm();
  }

  get remote(): RemoteAddress {
    return this.#transport.remote;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get openDeadlineMs(): number {
    return Math.min(this.#channel?.nextDeadlineMs() ?? Infinity, this.#writes.deadlineMs);
  }

  /** The open channel; undefined before and after. */
  get channel(): ServerChannel | undefined {
    return this.#state === 'open' ? this.#channel : undefined;
  }

  /** Monotonic ms; Infinity before the channel is open. */
  get openedAtMs(): number {
    return this.#openedAtMs;
  }

  /** Bytes that the peer's side has not taken yet. */
  get unsentBytes(): number {
    return this.#exchange?.unsentBytes ?? this.#writes.unsentBytes;
  }

  unsentOwnerKey(): string {
    return this.#caller.owner().key;
  }

  /** True when closing this would hurt nobody: an open channel without Session and without anything begun. */
  get isReclaimable(): boolean {
    return (
      this.#state === 'open' &&
      !this.#caller.hasSession &&
      this.#exchange?.hasUnansweredRequests === false &&
      this.#gate.isOpen &&
      this.#framer.bufferedBytes === 0 &&
      this.#channel?.hasPartialMessage === false &&
      this.unsentBytes === 0
    );
  }

  /** Whether one of `newcomer` could take the place of this connection. */
  makesRoomFor(newcomer: Owner): boolean {
    return this.#leases.makesRoomFor(newcomer);
  }

  /** An activated Session is bound to this channel, or none any longer. Called by the registry, which has to know too. */
  setSession(session: SessionContext | undefined): void {
    this.#caller.setSession(session);
  }

  /** Makes room for another connection: closes at once. */
  reclaim(): void {
    if (!this.#isAlive) return;
    this.#close('Reclaimed', undefined);
    this.#sendError(StatusCodes.BadTcpNotEnoughResources);
    this.#transport.destroy();
  }

  /** Tells the peer that this server stops, then closes. Idempotent. */
  shutDown(): void {
    this.#closeWithError('ServerShutdown', StatusCodes.BadServerHalted);
  }

  onBytes(bytes: Buffer): void {
    if (!this.#isAlive) return this.#discard(bytes);
    this.#framer.push(bytes);
    this.#gate.tryRead();
  }

  onDrain(): void {
    this.#writes.drained();
    this.#unsent.update();
    if (this.#isAlive) this.#exchange?.unpace();
  }

  onClosed(): void {
    if (this.#state === 'closed') return;
    this.#close('PeerClosed', undefined);
    this.#state = 'closed';
    this.#deadlines.cancel();
    this.#unsent[Symbol.dispose]();
    this.#leases.endConnection();
    this.#deadlines.arm();
    this.#environment.registry.remove(this);
    this.#outgoing?.events.onClosed(this.#closeReason);
  }

  onWritten(): void {
    this.#unsent.update();
    this.#deadlines.arm();
  }

  onOwnerUnsentLimit(): void {
    this.#exchange?.close();
    // Not at once: the caller may be in the middle of a request that this would end.
    this.#environment.runtime.turns.defer(() => this.#cutOff('OwnerUnsentLimit'));
  }

  onUnsentLimit(): void {
    this.#cutOff('UnsentLimit');
  }

  /**
   * What the peer sent before it could see that this side closed is taken off it, so that it gets to see that. Who goes on sending is not
   * read from any more and is cut soon: taking megabytes off peers that were refused would cost everybody else.
   */
  #discard(bytes: Buffer): void {
    this.#discardedBytes += bytes.length;
    if (this.#state === 'closing' && this.#discardedBytes > this.#environment.limits.receiveBufferSize) this.#stopReading();
  }

  #stopReading(): void {
    this.#transport.pause();
    this.#deadlines.lingerShortens();
    this.#deadlines.arm();
  }

  #cutOff(reason: CloseReason): void {
    if (!this.#isAlive) return;
    this.#close(reason, `${this.unsentBytes} bytes unsent`);
    this.#transport.destroy();
  }

  get #isAlive(): boolean {
    return this.#state !== 'closing' && this.#state !== 'closed';
  }

  #parse(): void {
    try {
      while (this.#gate.isOpen && this.#isAlive) {
        const chunk = this.#framer.next();
        if (chunk === undefined) break;
        this.#deadlines.chunkEnds();
        this.#onChunk(chunk);
        if (this.#gate.isOpen && this.#framer.bufferedBytes > 0 && this.#gate.yieldsTurn()) break;
      }
    } catch (error) {
      this.#fail(error);
    }
    if (!this.#isAlive) return;
    this.#deadlines.watchChunk(this.#gate.isOpen && this.#framer.hasPartialChunk);
    this.#deadlines.arm();
  }

  #onChunk(chunk: Buffer): void {
    const type = readMessageType(chunk);
    if (type === 'ERR') return this.#onError(chunk);
    if (!isExpected(type, this.#state)) throw new UaStatusError(StatusCodes.BadTcpMessageTypeInvalid, `${type} while ${this.#state}`);
    if (type === 'HEL') return this.#onHello(chunk);
    const channel = this.#channel;
    if (channel === undefined) return;
    if (type === 'OPN' && this.#state === 'open') this.#admitRenewal();
    const event = channel.receive(chunk, this.#environment.runtime.clock.nowMs());
    if (event instanceof Promise) this.#awaitOpening(event);
    else this.#onEvent(event);
  }

  /** Nothing else is parsed until the promise settles. */
  #awaitOpening(opening: Promise<ServerChannelEvent>): void {
    this.#gate.block(ReadBlocker.Opening);
    this.#leases.beginWork();
    this.#deadlines.workBegins();
    opening.then(
      (event) => this.#endOpening(() => this.#onEvent(event)),
      (error: unknown) => this.#endOpening(() => this.#fail(error)),
    );
  }

  #endOpening(proceed: () => void): void {
    this.#endWork();
    if (!this.#isAlive) return;
    try {
      proceed();
    } catch (error) {
      this.#fail(error);
    }
    if (!this.#isAlive) return;
    this.#deadlines.arm();
    this.#gate.unblock(ReadBlocker.Opening);
  }

  #endWork(): void {
    this.#leases.endWork();
    this.#deadlines.workEnds();
    if (this.#state === 'closed') this.#deadlines.cancel();
  }

  #admitRenewal(): void {
    const answer = this.#environment.admission.tryRenew(this.#leases.owner);
    if (answer.kind === 'refusal') {
      throw new UaStatusError(StatusCodes.BadTcpNotEnoughResources, `renewal refused: ${answer.reason}`, { cause: answer });
    }
    this.#leases.holdHandshake(answer);
  }

  #onHello(chunk: Buffer): void {
    const { endpointUrl, ...hello } = decodeHello(chunk);
    const limits = negotiate({ ...hello, endpointUrl }, this.#environment.limits);
    const { remote, transportProfileUri } = this.#transport;
    this.#channel = this.#environment.channels.create({ limits, endpointUrl, remote, transportProfileUri, reassembly: this.#caller });
    this.#framer.maxChunkBytes = limits.receiveBufferSize;
    this.#state = 'awaitingOpen';
    this.#sendNow([encodeAcknowledge(acknowledgeOf(limits))]);
    this.#outgoing?.events.onUsed();
  }

  #onError(chunk: Buffer): void {
    const { error, reason } = decodeErrorMessage(chunk);
    this.#close('PeerError', `${nameOfStatus(error)}: ${reason}`);
    this.#transport.destroy();
  }

  #onEvent(event: ServerChannelEvent): void {
    switch (event.kind) {
      case 'message':
        return this.#exchange?.submit(event.requestId, event.message);
      case 'opened':
        return this.#onOpened(event.renewal, event.chunks);
      case 'closed':
        this.#close('ChannelClosed', undefined);
        return this.#endTransport();
      case 'none':
    }
  }

  #onOpened(isRenewal: boolean, chunks: readonly Buffer[]): void {
    this.#sendNow(chunks);
    const channel = this.#channel;
    if (isRenewal || channel === undefined) return this.#exchange?.checkUnsent();
    const { registry, diagnostics, runtime } = this.#environment;
    this.#state = 'open';
    this.#openedAtMs = runtime.clock.nowMs();
    this.#exchange = new RequestExchange(this.#environment, channel, this.#writes, this.#gate, this);
    this.#caller.channelOpened(channel);
    diagnostics.openedChannels++;
    registry.channelOpened(channel.channelId, this);
    this.#outgoing?.events.onOpened();
  }

  #sendNow(chunks: readonly Buffer[]): void {
    this.#writes.push(chunks);
    this.#writes.flush();
  }

  onDeadline(nowMs: number): void {
    switch (this.#state) {
      case 'awaitingHello':
        return this.#closeWithError('HelloTimeout', StatusCodes.BadTimeout);
      case 'awaitingOpen':
        this.#endWork();
        return this.#closeWithError('HandshakeTimeout', StatusCodes.BadTimeout);
      case 'open':
        return this.#onOpenDeadline(nowMs);
      case 'closing':
        this.#deadlines.lingerEnds();
        return this.#transport.destroy();
      case 'closed':
        return this.#endWork();
    }
  }

  #onOpenDeadline(nowMs: number): void {
    const lost = this.#channel?.checkDeadlines(nowMs);
    if (lost) return this.#fail(lost);
    if (this.#deadlines.isChunkLate(nowMs)) return this.#closeWithError('MessageTimeout', StatusCodes.BadTimeout);
    if (this.#writes.checkProgress(nowMs)) return this.#unsent.update();
    this.#cutOff('SlowReader');
  }

  #fail(error: unknown): void {
    if (error instanceof UaStatusError) {
      return this.#closeWithError(closeReasonOf(error.statusCode), error.statusCode, error.message);
    }
    this.#environment.runtime.log.log('error', 'connection.internalError', { error });
    this.#closeWithError('InternalError', StatusCodes.BadTcpInternalError);
  }

  #closeWithError(reason: CloseReason, status: StatusCode, detail?: string): void {
    if (!this.#isAlive) return;
    this.#close(reason, detail === undefined ? nameOfStatus(status) : `${nameOfStatus(status)}: ${detail}`);
    this.#sendError(status);
    this.#endTransport();
    // In the middle of a message: more of it is on its way.
    if (status === StatusCodes.BadTcpNotEnoughResources) this.#stopReading();
  }

  #sendError(error: StatusCode): void {
    this.#transport.write([errorReply(error)]);
  }

  /** Lets the peer take what is queued, for a while. */
  #endTransport(): void {
    this.#gate.release();
    this.#deadlines.lingerBegins();
    this.#deadlines.arm();
    this.#transport.end();
  }

  /** Ends everything but the transport, newest first; the one place where a connection is freed. Idempotent. */
  #close(reason: CloseReason, detail: string | undefined): void {
    if (!this.#isAlive) return;
    const wasOpen = this.#state === 'open';
    this.#state = 'closing';
    this.#closeReason = reason;
    this.#deadlines.cancel();
    this.#exchange?.close();
    this.#writes.flush();
    this.#framer.clear();
    this.#freeChannel(wasOpen);
    this.#leases.endHandshake();
    this.#environment.diagnostics.countClosed(reason);
    this.#logClosed(reason, detail);
  }

  #freeChannel(wasOpen: boolean): void {
    const channel = this.#channel;
    if (channel === undefined) return;
    const { registry, sink, channels } = this.#environment;
    const { channelId } = channel;
    channel.dispose();
    if (wasOpen) {
      registry.channelClosed(channelId, this);
      sink.channelClosed(channel);
    }
    channels.disposed(channelId);
  }

  #logClosed(reason: CloseReason, detail: string | undefined): void {
    const { log } = this.#environment.runtime;
    const level = reason === 'PeerClosed' || reason === 'ChannelClosed' ? 'debug' : 'info';
    if (!log.isEnabled(level)) return;
    const { address, port } = this.#transport.remote;
    log.log(level, 'connection.closed', { reason, detail, address, port, channelId: this.#channel?.channelId });
  }
}
