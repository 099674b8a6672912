import type {
  MonitoredSource,
  MonitoredTarget,
  RetainedBytesAccount,
  RetainedBytesAccounts,
  SecureChannelContext,
  SessionContext,
} from '@bulkhead/contracts';
import { createManualRuntime, type ManualRuntime } from '@bulkhead/testkit';
import {
  AttributeIds,
  BuiltInType,
  CreateMonitoredItemsRequest,
  CreateSubscriptionRequest,
  DataChangeFilter,
  DataChangeNotification,
  DataChangeTrigger,
  DataValue,
  DeadbandType,
  ExtensionObject,
  MessageSecurityMode,
  MonitoredItemCreateRequest,
  type MonitoredItemCreateResult,
  MonitoringMode,
  MonitoringParameters,
  NodeId,
  type NotificationMessage,
  PublishRequest,
  ReadValueId,
  SetMonitoringModeRequest,
  StatusChangeNotification,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
  UaStatusError,
  UserTokenType,
  Variant,
} from '@bulkhead/types';
import { type PublishBody, type SubscriptionLimits, SubscriptionManager, type SubscriptionManagerOptions } from '../src/index.ts';

/** A node's attribute under the control of a test. */
export class FakeTarget implements MonitoredTarget {
  minimumSamplingIntervalMs = 0;
  numericType: number | undefined = BuiltInType.Double;
  euRange: { low: number; high: number } | undefined = undefined;
  isPolled = false;
  current: DataValue = new DataValue(Variant.double(0));
  /** When set, reads wait here until the test settles them. */
  pendingReads: { resolve: (value: DataValue) => void; reject: (error: unknown) => void }[] | undefined = undefined;
  readCount = 0;
  readonly observers: Set<(value: DataValue) => void> = new Set();

  read(): DataValue | Promise<DataValue> {
    this.readCount++;
    if (this.pendingReads === undefined) return this.current;
    return new Promise((resolve, reject) => this.pendingReads?.push({ resolve, reject }));
  }

  observe(onValue: (value: DataValue) => void): (() => void) | undefined {
    if (this.isPolled) return undefined;
    this.observers.add(onValue);
    return () => this.observers.delete(onValue);
  }

  set(value: DataValue | number): void {
    this.current = typeof value === 'number' ? new DataValue(Variant.double(value)) : value;
    for (const observer of this.observers) observer(this.current);
  }
}

export class FakeSource implements MonitoredSource {
  readonly targets: Map<string, FakeTarget> = new Map();

  add(name: string, init: Partial<FakeTarget> = {}): FakeTarget {
    const target = Object.assign(new FakeTarget(), init);
    this.targets.set(name, target);
    return target;
  }

  open(item: ReadValueId): MonitoredTarget | StatusCode {
    return this.targets.get(String(item.nodeId.identifier)) ?? StatusCodes.BadNodeIdUnknown;
  }
}

export function createSession(
  name: string,
  overrides: { user?: string; applicationUri?: string; mode?: MessageSecurityMode } = {},
): SessionContext {
  return {
    sessionId: NodeId.string(1, name),
    sessionName: name,
    identity: { kind: overrides.user === undefined ? UserTokenType.Anonymous : UserTokenType.UserName, name: overrides.user, roles: [] },
    localeIds: [],
    channel: { securityMode: overrides.mode ?? MessageSecurityMode.Sign } as SecureChannelContext,
    clientApplicationUri: overrides.applicationUri ?? 'urn:test:client',
    isActivated: true,
    maxResponseMessageBytes: 0,
  };
}

/** A Publish request on its way. */
export class Publish {
  body: PublishBody | undefined;
  errorCode: StatusCode | undefined;
  wasParked = false;
  readonly abort: AbortController = new AbortController();

  get isSettled(): boolean {
    return this.body !== undefined || this.errorCode !== undefined;
  }
}

export interface SubscriptionWish {
  interval?: number;
  lifetime?: number;
  keepAlive?: number;
  max?: number;
  enabled?: boolean;
  priority?: number;
}

export interface ItemWish {
  handle?: number;
  interval?: number;
  queue?: number;
  discardOldest?: boolean;
  mode?: MonitoringMode;
  filter?: ExtensionObject;
  timestamps?: TimestampsToReturn;
  attributeId?: number;
}

export class Harness {
  readonly runtime: ManualRuntime = createManualRuntime();
  readonly source: FakeSource = new FakeSource();
  readonly manager: SubscriptionManager;
  readonly session: SessionContext = createSession('one');

  constructor(limits: Partial<SubscriptionLimits> = {}, owners: Partial<Pick<SubscriptionManagerOptions, 'accounts' | 'ownerKeyOf'>> = {}) {
    const { accounts = unboundedAccounts, ownerKeyOf = () => 'everybody' } = owners;
    this.manager = new SubscriptionManager({ runtime: this.runtime, source: this.source, limits, accounts, ownerKeyOf });
  }

  /** Moves the clock and lets promises settle. */
  async advance(ms: number): Promise<void> {
    this.runtime.clock.advance(ms);
    this.runtime.turns.runAll();
    await settle();
  }

  subscribe(wish: SubscriptionWish = {}, session: SessionContext = this.session): number {
    return this.manager.createSubscription(
      session,
      CreateSubscriptionRequest.create({
        requestedPublishingInterval: wish.interval ?? 100,
        requestedLifetimeCount: wish.lifetime ?? 30,
        requestedMaxKeepAliveCount: wish.keepAlive ?? 10,
        maxNotificationsPerPublish: wish.max ?? 0,
        publishingEnabled: wish.enabled ?? true,
        priority: wish.priority ?? 0,
      }),
    ).subscriptionId;
  }

  tryMonitor(subscriptionId: number, name: string, wish: ItemWish = {}, session: SessionContext = this.session): MonitoredItemCreateResult {
    const { results } = this.manager.createMonitoredItems(
      session,
      CreateMonitoredItemsRequest.create({
        subscriptionId,
        timestampsToReturn: wish.timestamps ?? TimestampsToReturn.Both,
        itemsToCreate: [
          MonitoredItemCreateRequest.create({
            itemToMonitor: ReadValueId.create({ nodeId: NodeId.string(1, name), attributeId: wish.attributeId ?? AttributeIds.Value }),
            monitoringMode: wish.mode ?? MonitoringMode.Reporting,
            requestedParameters: MonitoringParameters.create({
              clientHandle: wish.handle ?? 1,
              samplingInterval: wish.interval ?? 0,
              filter: wish.filter ?? ExtensionObject.NULL,
              queueSize: wish.queue ?? 1,
              discardOldest: wish.discardOldest ?? true,
            }),
          }),
        ],
      }),
    );
    return (results ?? [])[0] as MonitoredItemCreateResult;
  }

  /** @returns the MonitoredItemId. */
  monitor(subscriptionId: number, name: string, wish: ItemWish = {}, session: SessionContext = this.session): number {
    const result = this.tryMonitor(subscriptionId, name, wish, session);
    if (result.statusCode !== StatusCodes.Good) throw new UaStatusError(result.statusCode, 'item refused');
    return result.monitoredItemId;
  }

  async publish(session: SessionContext = this.session, acknowledge: readonly (readonly [number, number])[] = []): Promise<Publish> {
    const publish = new Publish();
    this.manager
      .publish(
        session,
        PublishRequest.create({
          subscriptionAcknowledgements: acknowledge.map(([subscriptionId, sequenceNumber]) => ({ subscriptionId, sequenceNumber })),
        }),
        publish.abort.signal,
        () => {
          publish.wasParked = true;
        },
      )
      .then(
        (body) => {
          publish.body = body;
        },
        (error: unknown) => {
          publish.errorCode = error instanceof UaStatusError ? error.statusCode : -1;
        },
      );
    await settle();
    return publish;
  }
}

/** For tests that are about something else. */
export const unboundedAccounts: RetainedBytesAccounts = {
  open: () => ({ usedBytes: 0, tryCharge: () => true, release: () => undefined, [Symbol.dispose]: () => undefined }),
};

/** Counts for each owner, with the same limit for all. */
export class CountingAccounts implements RetainedBytesAccounts {
  readonly used: Map<string, number> = new Map();
  maxBytesPerOwner: number;

  constructor(maxBytesPerOwner: number) {
    this.maxBytesPerOwner = maxBytesPerOwner;
  }

  ofOwner(key: string): number {
    return this.used.get(key) ?? 0;
  }

  open(key: string): RetainedBytesAccount {
    const change = (bytes: number): boolean => {
      const used = this.ofOwner(key) + bytes;
      if (used < 0) throw new RangeError(`${key}: ${used} bytes`);
      if (bytes > 0 && used > this.maxBytesPerOwner) return false;
      this.used.set(key, used);
      return true;
    };
    return {
      usedBytes: 0,
      tryCharge: (bytes) => change(bytes),
      release: (bytes) => void change(-bytes),
      [Symbol.dispose]: () => {
        if (this.ofOwner(key) !== 0) throw new Error(`${key} has ${this.ofOwner(key)} bytes left`);
        this.used.delete(key);
      },
    };
  }
}

export async function settle(): Promise<void> {
  for (let i = 0; i < 8; i++) await Promise.resolve();
}

export interface Reported {
  readonly handle: number;
  readonly value: unknown;
  readonly status: StatusCode;
  readonly dataValue: DataValue;
}

/** The data changes of an answer. */
export function reported(publish: Publish): Reported[] {
  return publish.body === undefined ? [] : reportedIn(publish.body.notificationMessage);
}

export function reportedIn(message: NotificationMessage): Reported[] {
  return (message.notificationData ?? [])
    .filter((data) => data.is(DataChangeNotification))
    .flatMap((data) => data.decode(DataChangeNotification).monitoredItems ?? [])
    .map(({ clientHandle, value }) => ({ handle: clientHandle, value: value.value?.value, status: value.statusCode, dataValue: value }));
}

export function valuesOf(publish: Publish): unknown[] {
  return reported(publish).map(({ value }) => value);
}

export function isKeepAlive(publish: Publish): boolean {
  return publish.body !== undefined && (publish.body.notificationMessage.notificationData ?? []).length === 0;
}

/** The StatusCode of a StatusChangeNotification in the answer. */
export function statusChangeOf(publish: Publish): StatusCode | undefined {
  const data = publish.body?.notificationMessage.notificationData?.[0];
  return data?.is(StatusChangeNotification) ? data.decode(StatusChangeNotification).status : undefined;
}

export function dataChangeFilter(
  trigger: DataChangeTrigger = DataChangeTrigger.StatusValue,
  deadbandType: number = DeadbandType.None,
  deadbandValue = 0,
): ExtensionObject {
  return ExtensionObject.of(DataChangeFilter, { trigger, deadbandType, deadbandValue });
}

/** The StatusCode that a call is refused with. */
export function faultOf(call: () => unknown): StatusCode | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof UaStatusError) return error.statusCode;
    throw error;
  }
  return undefined;
}

/** A Session with one Subscription of 100 ms whose first message is out. */
export async function started(limits: ConstructorParameters<typeof Harness>[0] = {}): Promise<{ harness: Harness; id: number }> {
  const harness = new Harness(limits);
  const id = harness.subscribe({ lifetime: 3000 });
  await harness.advance(100);
  await harness.publish();
  return { harness, id };
}

/** What the next cycle reports. */
export async function nextCycle(harness: Harness): Promise<Publish> {
  const publish = await harness.publish();
  await harness.advance(100);
  publish.abort.abort();
  await settle();
  return publish;
}

export function setMode(
  harness: Harness,
  subscriptionId: number,
  mode: MonitoringMode,
  ...monitoredItemIds: number[]
): readonly StatusCode[] | null {
  return harness.manager.setMonitoringMode(
    harness.session,
    SetMonitoringModeRequest.create({ subscriptionId, monitoringMode: mode, monitoredItemIds }),
  ).results;
}

/** Sends `count` Publish requests, one after the other. */
export async function publishes(harness: Harness, count: number): Promise<Publish[]> {
  const all: Publish[] = [];
  for (let i = 0; i < count; i++) all.push(await harness.publish());
  return all;
}
