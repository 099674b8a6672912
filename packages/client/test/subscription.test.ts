import { createManualRuntime, type ManualRuntime } from '@bulkhead/testkit';
import {
  CreateMonitoredItemsResponse,
  CreateSubscriptionResponse,
  DataChangeNotification,
  DataValue,
  ExtensionObject,
  MonitoredItemCreateResult,
  MonitoredItemNotification,
  NotificationMessage,
  PublishResponse,
  RepublishResponse,
  StatusCodes,
  type SubscriptionAcknowledgement,
  UaStatusError,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import type { AnyResponse } from '../src/index.ts';
import { ServiceResultError, type Subscription } from '../src/index.ts';
import { createSessionServices } from '../src/session/session-services.ts';
import { SubscriptionSet } from '../src/subscription/subscription-set.ts';

interface Publish {
  readonly acknowledgements: readonly SubscriptionAcknowledgement[];
  resolve(response: PublishResponse): void;
  reject(error: Error): void;
}

/** A server of one Subscription, with id 7 at first; the client handle of its item is 1. */
class ScriptedServer {
  readonly runtime: ManualRuntime = createManualRuntime();
  readonly publishes: Publish[] = [];
  readonly kept = new Map<number, NotificationMessage>();
  readonly republished: number[] = [];
  readonly lost: Subscription[] = [];
  readonly subscriptions: SubscriptionSet;
  id = 7;

  constructor() {
    const services = createSessionServices({
      request: <Response extends AnyResponse>(type: { name: string }, _response: unknown, fields: object) =>
        this.#answer(type.name, fields) as Promise<Response>,
    });
    this.subscriptions = new SubscriptionSet({
      services,
      liveServices: services,
      runtime: this.runtime,
      isUsable: () => true,
      onLost: (subscription) => this.lost.push(subscription),
    });
  }

  send(sequenceNumber: number, message: NotificationMessage = messageOf(sequenceNumber)): void {
    this.publishes.shift()?.resolve(PublishResponse.create({ subscriptionId: this.id, notificationMessage: message }));
  }

  #answer(name: string, fields: object): Promise<unknown> {
    switch (name) {
      case 'CreateSubscriptionRequest':
        return Promise.resolve(
          CreateSubscriptionResponse.create({ subscriptionId: this.id, revisedPublishingInterval: 100, revisedMaxKeepAliveCount: 10 }),
        );
      case 'CreateMonitoredItemsRequest':
        return Promise.resolve(
          CreateMonitoredItemsResponse.create({ results: [MonitoredItemCreateResult.create({ monitoredItemId: 1 })] }),
        );
      case 'PublishRequest':
        return new Promise((resolve, reject) => {
          const { subscriptionAcknowledgements } = fields as { subscriptionAcknowledgements: SubscriptionAcknowledgement[] };
          this.publishes.push({ acknowledgements: subscriptionAcknowledgements, resolve, reject });
        });
      case 'RepublishRequest': {
        const { retransmitSequenceNumber, subscriptionId } = fields as { retransmitSequenceNumber: number; subscriptionId: number };
        this.republished.push(retransmitSequenceNumber);
        if (subscriptionId !== this.id) return Promise.reject(new ServiceResultError(StatusCodes.BadSubscriptionIdInvalid, 'unknown'));
        const notificationMessage = this.kept.get(retransmitSequenceNumber);
        if (notificationMessage) return Promise.resolve(RepublishResponse.create({ notificationMessage }));
        return Promise.reject(new ServiceResultError(StatusCodes.BadMessageNotAvailable, 'gone'));
      }
      default:
        return Promise.reject(new UaStatusError(StatusCodes.BadServiceUnsupported, name));
    }
  }
}

/** One value, the same as the SequenceNumber. */
function messageOf(sequenceNumber: number): NotificationMessage {
  const monitoredItems = [MonitoredItemNotification.create({ clientHandle: 1, value: new DataValue(Variant.double(sequenceNumber)) })];
  const notificationData = [ExtensionObject.of(DataChangeNotification, DataChangeNotification.create({ monitoredItems }))];
  return NotificationMessage.create({ sequenceNumber, notificationData });
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

async function subscribed(server: ScriptedServer): Promise<{ subscription: Subscription; values: unknown[] }> {
  const subscription = await server.subscriptions.create({});
  const values: unknown[] = [];
  await subscription.monitor('i=1', { onValue: ({ value }) => values.push(value?.value) });
  return { subscription, values };
}

describe("the client's subscriptions", () => {
  it('keep one Publish request more in flight than there are Subscriptions, and acknowledge what was delivered', async () => {
    const server = new ScriptedServer();
    const { values } = await subscribed(server);
    expect(server.publishes).toHaveLength(2);
    server.send(1);
    await settle();
    expect(values).toEqual([1]);
    expect(server.publishes).toHaveLength(2);
    expect(server.publishes[1]?.acknowledgements).toEqual([{ subscriptionId: 7, sequenceNumber: 1 }]);
  });

  it('fetch what is missing and deliver it in order, while later messages wait', async () => {
    const server = new ScriptedServer();
    const { subscription, values } = await subscribed(server);
    for (const missing of [1, 2]) server.kept.set(missing, messageOf(missing));
    server.send(4);
    server.send(5);
    await settle();
    expect(server.republished).toEqual([1, 2, 3]);
    expect(values).toEqual([1, 2, 4, 5]);
    expect(subscription.lostMessages).toBe(1);
    server.send(5);
    await settle();
    expect(values).toEqual([1, 2, 4, 5]);
  });

  it('find out by a keep-alive that a message is missing', async () => {
    const server = new ScriptedServer();
    const { values } = await subscribed(server);
    server.kept.set(1, messageOf(1));
    server.send(2, NotificationMessage.create({ sequenceNumber: 2 }));
    await settle();
    expect(values).toEqual([1]);
    server.send(2);
    await settle();
    expect(values).toEqual([1, 2]);
  });

  it('ask for fewer Publish requests when the server has too many, and leave it alone when it is busy', async () => {
    const server = new ScriptedServer();
    await subscribed(server);
    server.publishes.pop()?.reject(new ServiceResultError(StatusCodes.BadTooManyPublishRequests, 'too many'));
    await settle();
    expect(server.publishes).toHaveLength(1);
    server.publishes.pop()?.reject(new ServiceResultError(StatusCodes.BadServerTooBusy, 'busy', 3000));
    await settle();
    server.runtime.clock.advance(2999);
    expect(server.publishes).toHaveLength(0);
    server.runtime.clock.advance(1);
    expect(server.publishes).toHaveLength(1);
  });

  it('tell when keep-alives stay away, and when they come again', async () => {
    const server = new ScriptedServer();
    const { subscription } = await subscribed(server);
    server.runtime.clock.advance(2000);
    expect(subscription.state).toBe('late');
    server.send(1, NotificationMessage.create({ sequenceNumber: 1 }));
    await settle();
    expect(subscription.state).toBe('active');
    server.subscriptions.close();
    expect(subscription.state).toBe('closed');
    expect(server.runtime.clock.pendingTimers).toBe(0);
  });

  it('find out which Subscription is gone when the server says that there is none', async () => {
    const server = new ScriptedServer();
    const { subscription } = await subscribed(server);
    server.id = 8;
    server.publishes.pop()?.reject(new ServiceResultError(StatusCodes.BadNoSubscription, 'none'));
    await settle();
    expect(server.lost).toEqual([subscription]);
    expect(subscription.state).toBe('lost');
  });
});
