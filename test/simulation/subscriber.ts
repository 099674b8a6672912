import {
  AttributeIds,
  CreateMonitoredItemsRequest,
  CreateMonitoredItemsResponse,
  CreateSubscriptionRequest,
  CreateSubscriptionResponse,
  MonitoredItemCreateRequest,
  MonitoringMode,
  MonitoringParameters,
  PublishRequest,
  PublishResponse,
  ReadValueId,
  RepublishRequest,
  RepublishResponse,
  StatusCodes,
} from '@bulkhead/types';
import { MessageCheck } from './message-check.ts';
import type { SimulatedClient } from './simulated-client.ts';
import { counterName, nodeIdOf } from './simulated-nodes.ts';

const MOST_PUBLISH_REQUESTS = 3;
const MOST_ITEMS = 4;

/** Watches counters, keeps Publish requests waiting, and fetches what it missed when it had to reconnect. */
export async function subscriber(client: SimulatedClient): Promise<void> {
  const watching = new Watching(client);
  while (await client.turn()) {
    await watching.goOn();
    if (client.random.nextInt(20) === 0) client.connection?.link.cut();
  }
  await client.leave();
}

class Watching {
  readonly #client: SimulatedClient;
  #subscriptionId: number | undefined;
  #check: MessageCheck;
  #session: SimulatedClient['session'];
  #connection: SimulatedClient['connection'];
  #openPublishRequests = 0;

  constructor(client: SimulatedClient) {
    this.#client = client;
    this.#check = this.#newCheck();
  }

  async goOn(): Promise<void> {
    const client = this.#client;
    if (!(await client.ensureSession())) return;
    if (client.session !== this.#session) this.#forget();
    if (this.#subscriptionId === undefined && !(await this.#create())) return;
    if (client.connection !== this.#connection) {
      const { connection } = client;
      if (!(await this.#fetchMissed())) return;
      this.#connection = connection;
      this.#openPublishRequests = 0;
    }
    if (client.isConnected && this.#openPublishRequests < MOST_PUBLISH_REQUESTS) void this.#publish();
  }

  #newCheck(): MessageCheck {
    return new MessageCheck(this.#client.name, this.#client.world.findings);
  }

  #forget(): void {
    this.#session = this.#client.session;
    this.#subscriptionId = undefined;
    this.#check = this.#newCheck();
  }

  async #create(): Promise<boolean> {
    const { random } = this.#client;
    const response = await this.#client.request(CreateSubscriptionRequest, {
      requestedPublishingInterval: 20 + random.nextInt(60),
      requestedMaxKeepAliveCount: 1 + random.nextInt(4),
      requestedLifetimeCount: 30,
      maxNotificationsPerPublish: random.nextInt(3),
      publishingEnabled: true,
    });
    if (response?.header.serviceResult !== StatusCodes.Good) return false;
    const { subscriptionId } = response.decode(CreateSubscriptionResponse);
    this.#check = this.#newCheck();
    this.#subscriptionId = subscriptionId;
    this.#connection = this.#client.connection;
    this.#openPublishRequests = 0;
    await this.#addItems(subscriptionId);
    return true;
  }

  async #addItems(subscriptionId: number): Promise<void> {
    const { random } = this.#client;
    const check = this.#check;
    const itemsToCreate = Array.from({ length: 1 + random.nextInt(MOST_ITEMS) }, (_, clientHandle) =>
      MonitoredItemCreateRequest.create({
        itemToMonitor: ReadValueId.create({ nodeId: nodeIdOf(counterName(random.nextInt(6))), attributeId: AttributeIds.Value }),
        monitoringMode: MonitoringMode.Reporting,
        requestedParameters: MonitoringParameters.create({
          clientHandle,
          queueSize: random.pick([1, 2, 10]),
          samplingInterval: 0,
          discardOldest: random.nextBoolean(),
        }),
      }),
    );
    const response = await this.#client.request(CreateMonitoredItemsRequest, { subscriptionId, itemsToCreate });
    if (response?.header.serviceResult !== StatusCodes.Good) {
      // Perhaps they exist, perhaps not: what comes of it can't be judged.
      if (this.#check === check) this.#subscriptionId = undefined;
      return;
    }
    const { results } = response.decode(CreateMonitoredItemsResponse);
    for (const [clientHandle, { revisedQueueSize }] of (results ?? []).entries()) check.watch(clientHandle, revisedQueueSize);
  }

  /** @returns false when it has to be tried again. */
  async #fetchMissed(): Promise<boolean> {
    const check = this.#check;
    for (;;) {
      const subscriptionId = this.#subscriptionId ?? 0;
      const retransmitSequenceNumber = check.nextSequenceNumber;
      const response = await this.#client.request(RepublishRequest, { subscriptionId, retransmitSequenceNumber });
      if (this.#check !== check) return false;
      switch (response?.header.serviceResult) {
        case StatusCodes.Good:
          check.accept(response.decode(RepublishResponse).notificationMessage);
          this.#client.world.tally.add('missed message fetched');
          break;
        case StatusCodes.BadMessageNotAvailable:
          return true;
        case StatusCodes.BadSubscriptionIdInvalid:
          this.#forget();
          return false;
        default:
          return false;
      }
    }
  }

  async #publish(): Promise<void> {
    const check = this.#check;
    const subscriptionId = this.#subscriptionId ?? 0;
    const { connection } = this.#client;
    const acknowledged = check.unacknowledged;
    check.unacknowledged = [];
    this.#openPublishRequests++;
    const response = await this.#client.request(PublishRequest, {
      subscriptionAcknowledgements: acknowledged.map((sequenceNumber) => ({ subscriptionId, sequenceNumber })),
    });
    if (this.#connection === connection) this.#openPublishRequests--;
    if (response?.header.serviceResult === StatusCodes.BadNoSubscription && check === this.#check) this.#forget();
    if (response?.header.serviceResult !== StatusCodes.Good) return;
    const { notificationMessage, subscriptionId: publishedId } = response.decode(PublishResponse);
    // A request from before may bring a message of the present Subscription; one that was given up counts no more.
    if (publishedId !== this.#subscriptionId) return;
    const current = this.#check;
    current.accept(notificationMessage);
    this.#client.world.tally.add('message checked');
    if (current.hasEnded) this.#forget();
    else if (this.#connection === connection && !this.#client.world.actors.areLeaving) void this.#publish();
  }
}
