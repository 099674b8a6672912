/** DataTypes of the requests that this page sends, as messages in JSON name them. OPC 10000-6 §5.4.9. */
const RequestTypes = {
  CreateSession: 'i=459',
  ActivateSession: 'i=465',
  CreateMonitoredItems: 'i=749',
  CreateSubscription: 'i=785',
  Publish: 'i=824',
};

const VALUE = 13;
const REPORTING = 2;
/** Publish requests that wait at the server, so that one is always there. */
const WAITING_PUBLISHES = 3;

/** A service answered with something else than Good. */
export class ServiceError extends Error {
  constructor(result) {
    super(`${result.Symbol ?? 'status'} 0x${(result.Code ?? 0).toString(16)}`);
    this.name = 'ServiceError';
  }
}

/** Asks by OpenAPI: a path for each service, no Session. */
export class OpenApi {
  #url;

  /** @param url such as https://host:4843 */
  constructor(url) {
    this.#url = url;
  }

  async call(service, request) {
    const response = await fetch(`${this.#url}/${service}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    return checked(await response.json());
  }

  async read(nodeId) {
    const { Results } = await this.call('read', { NodesToRead: [{ NodeId: nodeId, AttributeId: VALUE }] });
    if (isBad(Results[0].Status)) throw new ServiceError(Results[0].Status);
    return Results[0].Value;
  }

  /** @param uaType number of the built-in type, 11 for Double. OPC 10000-6 §5.1.2. */
  async write(nodeId, uaType, value) {
    const { Results } = await this.call('write', {
      NodesToWrite: [{ NodeId: nodeId, AttributeId: VALUE, Value: { UaType: uaType, Value: value } }],
    });
    if (isBad(Results?.[0])) throw new ServiceError(Results[0]);
  }
}

/** A Session over a WebSocket: requests and responses in JSON, matched by their RequestHandle. */
export class JsonSession {
  #socket;
  #token;
  #lastHandle = 0;
  #open = new Map();
  #onChange = new Map();

  constructor(socket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#onMessage(JSON.parse(data)));
    socket.addEventListener('close', ({ code }) => this.#failAll(new Error(`the WebSocket was closed with ${code}`)));
  }

  /** @param url such as wss://host:4843 */
  static async open(url) {
    const socket = new WebSocket(url, 'opcua+uajson');
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('close', () => reject(new Error('no WebSocket')));
    });
    const session = new JsonSession(socket);
    const created = await session.call('CreateSession', { SessionName: 'page', RequestedSessionTimeout: 60_000 });
    session.#token = created.AuthenticationToken;
    await session.call('ActivateSession', {});
    return session;
  }

  get closed() {
    return new Promise((resolve) => this.#socket.addEventListener('close', resolve));
  }

  call(service, request) {
    const handle = ++this.#lastHandle;
    const RequestHeader = { AuthenticationToken: this.#token, RequestHandle: handle };
    this.#socket.send(JSON.stringify({ UaTypeId: RequestTypes[service], RequestHeader, ...request }));
    return new Promise((resolve, reject) => this.#open.set(handle, { resolve, reject }));
  }

  /** Calls `onChange` with each new value of each node. */
  async subscribe(intervalMs, onChange) {
    const { SubscriptionId } = await this.call('CreateSubscription', {
      RequestedPublishingInterval: intervalMs,
      RequestedLifetimeCount: 600,
      RequestedMaxKeepAliveCount: 50,
      PublishingEnabled: true,
    });
    const ItemsToCreate = Object.entries(onChange).map(([nodeId, changed], at) => {
      this.#onChange.set(at + 1, changed);
      return {
        ItemToMonitor: { NodeId: nodeId, AttributeId: VALUE },
        MonitoringMode: REPORTING,
        RequestedParameters: { ClientHandle: at + 1, SamplingInterval: intervalMs, QueueSize: 10, DiscardOldest: true },
      };
    });
    await this.call('CreateMonitoredItems', { SubscriptionId, TimestampsToReturn: 0, ItemsToCreate });
    for (let count = 0; count < WAITING_PUBLISHES; count++) this.#publish([]);
  }

  close() {
    this.#socket.close();
  }

  #publish(SubscriptionAcknowledgements) {
    this.call('Publish', { SubscriptionAcknowledgements }).then(
      ({ SubscriptionId, NotificationMessage }) => {
        const notifications = NotificationMessage?.NotificationData ?? [];
        for (const { MonitoredItems = [] } of notifications) {
          for (const { ClientHandle, Value } of MonitoredItems) this.#onChange.get(ClientHandle)?.(Value);
        }
        const { SequenceNumber } = NotificationMessage ?? {};
        this.#publish(notifications.length > 0 ? [{ SubscriptionId, SequenceNumber }] : []);
      },
      () => undefined,
    );
  }

  #onMessage(message) {
    const waiting = this.#open.get(message.ResponseHeader?.RequestHandle);
    if (waiting === undefined) return;
    this.#open.delete(message.ResponseHeader.RequestHandle);
    try {
      waiting.resolve(checked(message));
    } catch (error) {
      waiting.reject(error);
    }
  }

  #failAll(error) {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }
}

/** A status that is left out is Good. */
function isBad(status) {
  return ((status?.Code ?? 0) & 0x80000000) !== 0;
}

function checked(response) {
  const result = response.ResponseHeader?.ServiceResult;
  if (isBad(result)) throw new ServiceError(result);
  return response;
}
