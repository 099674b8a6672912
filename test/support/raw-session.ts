import { RawUacpPeer, type RawUacpPeerOptions } from '@bulkhead/testkit';
import {
  ActivateSessionRequest,
  ActivateSessionResponse,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
  NodeId,
  ReadRequest,
  ReadResponse,
  ReadValueId,
  RequestHeader,
  type RequestType,
  type ResponseType,
  TimestampsToReturn,
} from '@bulkhead/types';

const VALUE_ATTRIBUTE = 13;

/** An activated anonymous Session without security, on a raw peer: requests go out byte for byte as the test wants them. */
export class RawSession {
  readonly peer: RawUacpPeer;
  readonly #token: NodeId;
  #nextHandle = 1;

  private constructor(peer: RawUacpPeer, token: NodeId) {
    this.peer = peer;
    this.#token = token;
  }

  /** @param requestedSessionTimeout ms; short for tests that cut the connection and leave the Session to its timeout. */
  static async open(options: RawUacpPeerOptions, requestedSessionTimeout = 60_000): Promise<RawSession> {
    const peer = await RawUacpPeer.connect(options);
    await peer.hello();
    await peer.openNone();
    return RawSession.over(peer, requestedSessionTimeout);
  }

  /** On an open channel. */
  static async over(peer: RawUacpPeer, requestedSessionTimeout = 60_000): Promise<RawSession> {
    const created = await peer.request(CreateSessionRequest, { sessionName: 'raw', requestedSessionTimeout }, CreateSessionResponse);
    const session = new RawSession(peer, created.authenticationToken);
    await session.request(ActivateSessionRequest, {}, ActivateSessionResponse);
    return session;
  }

  header(init: Partial<RequestHeader> = {}): RequestHeader {
    return RequestHeader.create({ authenticationToken: this.#token, requestHandle: this.#nextHandle++, ...init });
  }

  /** @returns the RequestId. */
  send<T extends { requestHeader: RequestHeader }>(type: RequestType<T>, init: Partial<Omit<T, 'requestHeader'>>): number {
    return this.peer.sendRequest(type, { ...init, requestHeader: this.header() } as Partial<T>);
  }

  async request<Request extends { requestHeader: RequestHeader }, Response>(
    type: RequestType<Request>,
    init: Partial<Omit<Request, 'requestHeader'>>,
    responseType: ResponseType<Response>,
  ): Promise<Response> {
    return (await this.peer.response(this.send(type, init))).decode(responseType);
  }

  read(...nodeIds: string[]): Promise<ReadResponse> {
    return this.request(ReadRequest, readOf(nodeIds), ReadResponse);
  }

  /** Leaves the channel open. */
  async closeSession(): Promise<void> {
    await this.request(CloseSessionRequest, { deleteSubscriptions: true }, CloseSessionResponse);
  }

  async close(): Promise<void> {
    await this.closeSession();
    await this.peer.closeChannel();
  }
}

/** A Read of the Value attributes of these nodes. */
export function readOf(nodeIds: readonly string[]): Pick<ReadRequest, 'timestampsToReturn' | 'nodesToRead'> {
  return {
    timestampsToReturn: TimestampsToReturn.Both,
    nodesToRead: nodeIds.map((text) => ReadValueId.create({ nodeId: NodeId.parse(text), attributeId: VALUE_ATTRIBUTE })),
  };
}
