import {
  CloseSessionRequest,
  CloseSessionResponse,
  type NodeId,
  type RequestType,
  type ResponseType,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import type { RequestOptions } from '../connection/client-connection.ts';
import type { ServiceConnection } from '../connection/service-connection.ts';
import type { AnyRequest, AnyResponse, RequestFields } from '../connection/service-message.ts';
import { SubscriptionSet } from '../subscription/subscription-set.ts';
import { activateSession, type CreatedSession, createSession, type SessionSeed } from './session-handshake.ts';
import { SessionOperations } from './session-operations.ts';

/** A server that doesn't answer CloseSession is left after this time. */
const CLOSE_TIMEOUT_MS = 5000;

/** An activated Session on a connection. It doesn't reconnect by itself; `activateOn` moves it to another connection. */
export class ClientSession extends SessionOperations implements AsyncDisposable {
  readonly sessionId: NodeId;
  /** What the server granted: a Session without requests for so long is closed, ms. */
  readonly sessionTimeoutMs: number;
  readonly #seed: SessionSeed;
  #created: CreatedSession;
  #connection: ServiceConnection;
  #subscriptions: SubscriptionSet | undefined;
  #isClosed = false;

  private constructor(connection: ServiceConnection, created: CreatedSession, seed: SessionSeed) {
    super();
    this.sessionId = created.sessionId;
    this.sessionTimeoutMs = created.sessionTimeoutMs;
    this.#connection = connection;
    this.#created = created;
    this.#seed = seed;
  }

  /** Creates and activates a Session. @throws as `createSession` and `activateSession`; a Session that isn't activated is closed. */
  static async create(connection: ServiceConnection, seed: SessionSeed, options?: RequestOptions): Promise<ClientSession> {
    const session = new ClientSession(connection, await createSession(connection, seed, options), seed);
    try {
      await session.activateOn(connection, options);
    } catch (error) {
      if (connection.isOpen) await session.#closeInServer(true).catch(() => undefined);
      throw error;
    }
    return session;
  }

  get connection(): ServiceConnection {
    return this.#connection;
  }

  /** Moves this Session to `connection`, which must be secured like the one before. @throws as `activateSession` */
  async activateOn(connection: ServiceConnection, options?: RequestOptions): Promise<void> {
    const serverNonce = await activateSession(connection, this.#created, this.#seed, options);
    this.#created = { ...this.#created, serverNonce };
    this.#connection = connection;
  }

  async request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    options?: RequestOptions,
  ): Promise<Response> {
    if (this.#isClosed) throw new UaStatusError(StatusCodes.BadSessionClosed, 'closed by this client');
    return this.#connection.request(requestType, responseType, fields, this.#created.authenticationToken, options);
  }

  /** Its Subscriptions; they end with the connection. */
  get subscriptions(): SubscriptionSet {
    if (this.#subscriptions !== undefined) return this.#subscriptions;
    const connection = this.#connection;
    const subscriptions = new SubscriptionSet({
      services: this.services,
      liveServices: this.services,
      runtime: connection.runtime,
      isUsable: () => !this.#isClosed && this.#connection.isOpen,
      onLost: () => undefined,
    });
    void connection.closed.then((reason) => subscriptions.close(this.#isClosed ? undefined : reason));
    this.#subscriptions = subscriptions;
    return subscriptions;
  }

  /** Closes the Session and its connection; never fails. Idempotent. @param deleteSubscriptions false leaves them to be transferred. */
  async close(deleteSubscriptions = true): Promise<void> {
    if (!this.#isClosed && this.#connection.isOpen) await this.#closeInServer(deleteSubscriptions).catch(() => undefined);
    this.#isClosed = true;
    await this.#connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #closeInServer(deleteSubscriptions: boolean): Promise<void> {
    await this.request(CloseSessionRequest, CloseSessionResponse, { deleteSubscriptions }, { timeoutMs: CLOSE_TIMEOUT_MS });
    this.#isClosed = true;
  }
}
