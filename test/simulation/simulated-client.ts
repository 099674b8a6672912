import type { RawResponse, SeededRandom } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  CloseSessionRequest,
  CreateSessionRequest,
  CreateSessionResponse,
  ExtensionObject,
  type NodeId,
  type RequestHeader,
  type RequestType,
  StatusCodes,
  UserNameIdentityToken,
} from '@bulkhead/types';
import { ClientConnection } from './client-connection.ts';
import type { ClientOptions } from './options.ts';
import { passwordSecret } from './simulated-key.ts';
import { statusNameOf } from './status-name.ts';
import type { World } from './world.ts';

/** A Session as its client knows it. */
export interface ClientSession {
  readonly token: NodeId;
  /** What the next password has to hold. */
  nonce: Uint8Array;
}

/** The way a client waits after it was refused, ms. */
const RETRY_MS = 50;

/** What all clients can do. Nothing here throws when the server refuses: clients go on as they like. */
export class SimulatedClient {
  readonly name: string;
  readonly options: ClientOptions;
  readonly random: SeededRandom;
  readonly world: World;
  connection: ClientConnection | undefined;
  session: ClientSession | undefined;

  constructor(world: World, options: ClientOptions, index: number, random: SeededRandom) {
    this.world = world;
    this.options = options;
    this.name = `${options.kind}${index}`;
    this.random = random;
  }

  get isConnected(): boolean {
    return this.connection?.isClosed === false;
  }

  /** Until the schedule lets this client act. @returns false once clients should leave. */
  turn(): Promise<boolean> {
    return this.world.actors.turn();
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.world.clock.after(ms, resolve));
  }

  /** Connects and opens a SecureChannel. */
  async connect(): Promise<boolean> {
    const connection = this.newConnection();
    this.connection = connection;
    return connection.open();
  }

  /** A connection on which nothing was said yet. */
  newConnection(): ClientConnection {
    const { network, findings, handles, trace, tally } = this.world;
    const connection = new ClientConnection(network.connect(this.options.address), findings, handles, (service, { header, requestId }) => {
      const status = statusNameOf(header.serviceResult);
      tally.add(`answer ${status}`);
      trace.add(`${this.name} got ${status} for ${service} ${requestId}`);
    });
    this.world.connections.add(connection);
    return connection;
  }

  /** With the Session of before if there is one, else with a new one. @returns whether there is an activated Session now. */
  async ensureSession(): Promise<boolean> {
    if (this.isConnected && this.session !== undefined) return true;
    if (!this.isConnected && !(await this.connect())) return false;
    if (this.session !== undefined && (await this.activate())) return true;
    return (await this.createSession()) && (await this.activate());
  }

  async createSession(): Promise<boolean> {
    this.session = undefined;
    const requestedSessionTimeout = 2000 + this.random.nextInt(6000);
    const response = await this.connection?.request(CreateSessionRequest, {
      sessionName: this.name,
      endpointUrl: 'opc.tcp://server:4840',
      requestedSessionTimeout,
    });
    if (response?.header.serviceResult !== StatusCodes.Good) return false;
    const { authenticationToken, serverNonce } = response.decode(CreateSessionResponse);
    this.session = { token: authenticationToken, nonce: serverNonce ?? Buffer.alloc(0) };
    return true;
  }

  /** @returns false when the Session is gone or was refused; it counts as gone then. */
  async activate(): Promise<boolean> {
    const { session } = this;
    if (session === undefined) return false;
    const response = await this.request(ActivateSessionRequest, { userIdentityToken: this.#userToken(session) });
    if (response?.header.serviceResult === StatusCodes.Good) {
      session.nonce = response.decode(ActivateSessionResponse).serverNonce ?? Buffer.alloc(0);
      return true;
    }
    // Without an answer the Session may live on, and be moved to the next connection.
    if (response !== undefined) this.session = undefined;
    return false;
  }

  /** A request of this client's Session. */
  async request<T extends { requestHeader: RequestHeader }>(
    type: RequestType<T>,
    init: Partial<Omit<T, 'requestHeader'>>,
    timeoutHint = 0,
  ): Promise<RawResponse | undefined> {
    const { session, connection } = this;
    const extras = session === undefined ? { timeoutHint } : { token: session.token, timeoutHint };
    const response = await connection?.request(type, init, extras);
    if (response !== undefined && endsSession(response.header.serviceResult) && this.session === session) this.session = undefined;
    return response;
  }

  /** The server is left alone for a moment after it refused something. */
  retryLater(): Promise<void> {
    return this.pause(RETRY_MS + this.random.nextInt(RETRY_MS));
  }

  /** Goes away, more or less politely. */
  async leave(): Promise<void> {
    const { connection } = this;
    if (connection === undefined || connection.isClosed) return;
    const manner = this.random.nextInt(4);
    if (manner === 0) return connection.link.cut();
    if (manner === 1) await connection.answered();
    if (manner > 1 && this.session !== undefined) {
      await this.request(CloseSessionRequest, { deleteSubscriptions: this.random.nextInt(3) > 0 });
      this.session = undefined;
    }
    connection.close();
  }

  #userToken(session: ClientSession): ExtensionObject {
    const { userName, kind } = this.options;
    if (userName === undefined) return ExtensionObject.NULL;
    // A witness must be served in the end: it locks nobody out.
    const password = kind !== 'witness' && this.random.nextInt(6) === 0 ? 'wrong' : userName;
    return ExtensionObject.of(UserNameIdentityToken, {
      policyId: null,
      userName,
      ...passwordSecret(password, session.nonce),
    });
  }
}

function endsSession(status: number): boolean {
  return (
    status === StatusCodes.BadSessionIdInvalid ||
    status === StatusCodes.BadSessionClosed ||
    status === StatusCodes.BadSessionNotActivated ||
    status === StatusCodes.BadSecureChannelIdInvalid
  );
}
