import type { Runtime, Timer } from '@bulkhead/contracts';
import {
  type NodeId,
  NodeId as NodeIds,
  type RequestType,
  type ResponseType,
  StatusCodes,
  UaStatusError,
  VariableIds,
} from '@bulkhead/types';
import type { RequestOptions } from '../connection/client-connection.ts';
import type { AnyRequest, AnyResponse, RequestFields } from '../connection/service-message.ts';
import { abortError } from '../deadline.ts';
import { createDeferred } from '../deferred.ts';
import type { ConnectGate } from '../reconnect/connect-gate.ts';
import { type ConnectionState, ConnectionStateMachine, type ConnectionStep } from '../reconnect/connection-state-machine.ts';
import { ReconnectPolicy } from '../reconnect/reconnect-policy.ts';
import type { ClientSession } from '../session/client-session.ts';
import { SessionOperations } from '../session/session-operations.ts';
import { createSessionServices } from '../session/session-services.ts';
import type { Subscription } from '../subscription/subscription.ts';
import { SubscriptionSet } from '../subscription/subscription-set.ts';
import { ConnectionWaiters } from './connection-waiters.ts';
import { asStatusError, failureOf, isBusy, isPermanentFailure, isSessionGone } from './failures.ts';
import type { ManagedSessionEvent, ManagedSessionOptions } from './managed-session-options.ts';
import { recreate, restoreSubscriptions } from './restore-subscriptions.ts';
import { type Establishment, SessionEstablisher } from './session-establisher.ts';

const DEFAULT_REQUEST_TIMEOUT_MS = 15_000;
const MAX_KEEP_ALIVE_INTERVAL_MS = 10_000;
const NO_GATE: ConnectGate = { enter: () => Promise.resolve({ [Symbol.dispose]: () => undefined }) };
const SERVER_STATE: NodeId = NodeIds.numeric(0, VariableIds.Server_ServerStatus_State);

/**
 * A session that outlives its connections: after a loss it connects again by its policy, goes on with the same Session where the
 * server still has it, and keeps its Subscriptions with all that the server still holds for them. Requests made meanwhile wait;
 * those that were on their way when the connection was lost fail, as nobody knows whether the server carried them out.
 */
export class ManagedSession extends SessionOperations implements AsyncDisposable {
  readonly subscriptions: SubscriptionSet;
  readonly #options: ManagedSessionOptions;
  readonly #runtime: Runtime;
  readonly #machine: ConnectionStateMachine;
  readonly #establisher: SessionEstablisher;
  readonly #waiters: ConnectionWaiters;
  readonly #abort = new AbortController();
  readonly #firstConnect = createDeferred<void>();
  readonly #recreating = new Set<Subscription>();
  #session: ClientSession | undefined;
  #attempt: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #closing: Promise<void> | undefined;
  #lastError: Error | undefined;

  private constructor(options: ManagedSessionOptions) {
    super();
    this.#options = options;
    this.#runtime = options.application.runtime;
    this.#machine = new ConnectionStateMachine(options.reconnectPolicy ?? new ReconnectPolicy());
    const { application: _application, onEvent: _onEvent, ...sessionOptions } = options;
    this.#establisher = new SessionEstablisher(options.application, sessionOptions);
    this.#waiters = new ConnectionWaiters(this.#runtime.timers, options.maxWaitingRequests ?? 1000);
    this.subscriptions = new SubscriptionSet({
      services: this.services,
      liveServices: createSessionServices({ request: (...request) => this.#requestNow(...request) }),
      runtime: this.#runtime,
      maxPublishRequests: options.maxPublishRequests,
      isUsable: () => this.#liveSession() !== undefined,
      onLost: () => this.#recreateLost(),
    });
  }

  /**
   * Connects, trying again as the policy says.
   * @throws UaStatusError (as a rejection) of the last attempt when the policy gives up or no retry can help, such as for a wrong
   * password; what `signal` was aborted with. Nothing stays open then.
   */
  static async connect(options: ManagedSessionOptions, signal?: AbortSignal): Promise<ManagedSession> {
    const session = new ManagedSession(options);
    const onAbort = (): void => void (session.#closing ??= session.#close(abortError(signal as AbortSignal)));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal?.aborted) onAbort();
      session.#follow(session.#machine.start());
      await session.#firstConnect.promise;
      return session;
    } catch (error) {
      await session.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  get state(): ConnectionState {
    return this.#machine.state;
  }

  /** The Session in the server; undefined while there is none. */
  get sessionId(): NodeId | undefined {
    return this.#session?.sessionId;
  }

  /** Why the last attempt failed, or the connection was lost. */
  get lastError(): Error | undefined {
    return this.#lastError;
  }

  /** As `ClientConnection.request`; waits for a connection, as long as the request's timeout, when there is none. */
  async request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    options: RequestOptions = {},
  ): Promise<Response> {
    if (this.#machine.state === 'closed') throw this.#closedError();
    if (this.#liveSession() === undefined) {
      await this.#waiters.wait(options.timeoutMs ?? this.#options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS, options.signal);
    }
    return this.#requestNow(requestType, responseType, fields, options);
  }

  /** Closes Session and connection, ends Subscriptions and waiting requests; no timer or socket is left. Never fails. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close(new UaStatusError(StatusCodes.BadSessionClosed, 'closed by this client'));
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #requestNow<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    options?: RequestOptions,
  ): Promise<Response> {
    const session = this.#liveSession();
    if (session === undefined) throw new UaStatusError(StatusCodes.BadNotConnected, 'no connection');
    try {
      return await session.request(requestType, responseType, fields, options);
    } catch (error) {
      if (isSessionGone(error)) session.connection.destroy(asStatusError(error));
      throw error;
    }
  }

  #liveSession(): ClientSession | undefined {
    return this.#machine.state === 'connected' && this.#session?.connection.isOpen === true ? this.#session : undefined;
  }

  #follow(step: ConnectionStep): void {
    if (step.kind === 'attempt') this.#attempt = this.#tryOnce();
    else if (step.kind === 'wait') this.#timer = this.#runtime.timers.after(step.delayMs, () => this.#follow(this.#machine.waited()));
    else if (this.#machine.state === 'closed') this.#closing ??= this.#close(asStatusError(this.#lastError));
  }

  async #tryOnce(): Promise<void> {
    const { signal } = this.#abort;
    try {
      const gate = this.#options.connectGate ?? NO_GATE;
      using _pass = await gate.enter(signal);
      const establishment = await this.#establisher.establish(this.#session, signal);
      const { session, kind } = establishment;
      // From now on it is the one to go on with, even if the rest fails.
      this.#session = session;
      const recreated = await this.#restore(establishment);
      this.#connected(session, kind === 'reactivated', recreated);
    } catch (error) {
      this.#attemptFailed(asStatusError(error));
    }
  }

  async #restore(establishment: Establishment): Promise<readonly Subscription[]> {
    const { connection } = establishment.session;
    try {
      const recreated = await restoreSubscriptions(establishment, this.subscriptions);
      if (!connection.isOpen) throw await connection.closed;
      return recreated;
    } catch (error) {
      connection.destroy(asStatusError(error));
      throw error;
    }
  }

  #connected(session: ClientSession, isSameSession: boolean, recreated: readonly Subscription[]): void {
    if (this.#machine.state === 'closed') return;
    this.#follow(this.#machine.succeeded());
    const { connection } = session;
    void connection.closed.then((reason) => this.#lost(reason));
    this.#emit({ kind: 'established', isSameSession });
    for (const subscription of recreated) this.#emit({ kind: 'subscriptionRecreated', subscription });
    this.#emit({ kind: 'state', state: 'connected' });
    this.subscriptions.start();
    this.#keepAlive(session);
    this.#firstConnect.resolve();
    this.#waiters.resolveAll();
  }

  #attemptFailed(error: UaStatusError): void {
    if (this.#machine.state === 'closed') return;
    this.#lastError = error;
    const failure = failureOf(error);
    const isPermanent = this.#machine.state === 'connecting' && isPermanentFailure(error.statusCode);
    const step = this.#machine.failed(failure, this.#runtime.clock.nowMs(), isPermanent);
    this.#emit({ kind: 'attemptFailed', failure, error, waitMs: step.kind === 'wait' ? step.delayMs : undefined });
    this.#follow(step);
  }

  #lost(reason: UaStatusError): void {
    if (this.#machine.state !== 'connected') return;
    this.#timer?.cancel();
    this.#lastError = reason;
    this.subscriptions.stop();
    const step = this.#machine.lost(failureOf(reason), this.#runtime.clock.nowMs(), isBusy(reason));
    this.#emit({ kind: 'state', state: this.#machine.state });
    this.#follow(step);
  }

  /** Keeps the Session from expiring, and finds out about connections that are dead without saying so. */
  #keepAlive(session: ClientSession): void {
    const intervalMs =
      this.#options.keepAliveIntervalMs ?? Math.max(1000, Math.min(MAX_KEEP_ALIVE_INTERVAL_MS, session.sessionTimeoutMs / 3));
    const { connection } = session;
    this.#timer = this.#runtime.timers.after(intervalMs, () => {
      this.readValue(SERVER_STATE, { timeoutMs: intervalMs }).then(
        () => {
          if (this.#session?.connection !== connection || !connection.isOpen || this.#machine.state !== 'connected') return;
          this.#recreateLost();
          this.#keepAlive(session);
        },
        (error: unknown) => this.#keepAliveFailed(session, connection, asStatusError(error)),
      );
    });
  }

  #keepAliveFailed(session: ClientSession, connection: ClientSession['connection'], error: UaStatusError): void {
    if (!connection.isOpen || this.#machine.state !== 'connected') return;
    // A server that refuses is alive.
    if (error.statusCode === StatusCodes.BadTimeout) connection.destroy(error);
    else this.#keepAlive(session);
  }

  /** Subscriptions that the server forgot while the connection stayed. */
  #recreateLost(): void {
    const session = this.#liveSession();
    if (session === undefined) return;
    for (const subscription of this.subscriptions) {
      if (subscription.state !== 'lost' || this.#recreating.has(subscription)) continue;
      this.#recreating.add(subscription);
      recreate(session, this.subscriptions, subscription)
        .then((isRecreated) => {
          if (isRecreated) this.#emit({ kind: 'subscriptionRecreated', subscription });
          if (this.#liveSession() === session) this.subscriptions.start();
        })
        // Of a lost connection: the reconnect sees to it.
        .catch(() => undefined)
        .finally(() => this.#recreating.delete(subscription));
    }
  }

  async #close(error: UaStatusError): Promise<void> {
    this.#machine.close();
    this.#timer?.cancel();
    this.#abort.abort(error);
    this.#firstConnect.reject(error);
    this.#waiters.rejectAll(error);
    this.subscriptions.close();
    await this.#attempt;
    await this.#session?.close();
    this.#emit({ kind: 'state', state: 'closed' });
  }

  #closedError(): UaStatusError {
    return new UaStatusError(StatusCodes.BadSessionClosed, 'the session is closed', { cause: this.#lastError });
  }

  #emit(event: ManagedSessionEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      this.#runtime.log.log('error', 'client.eventListenerFailed', { error });
    }
  }
}
