import type { MonitoredSource, MonitoredTarget } from '@bulkhead/contracts';
import {
  type CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  type DeleteMonitoredItemsRequest,
  type DeleteMonitoredItemsResponse,
  ExtensionObject,
  type ModifyMonitoredItemsRequest,
  type ModifyMonitoredItemsResponse,
  type MonitoredItemCreateRequest,
  type MonitoredItemCreateResult,
  type MonitoredItemModifyRequest,
  type MonitoredItemModifyResult,
  MonitoringMode,
  type MonitoringParameters,
  type SetMonitoringModeRequest,
  type SetMonitoringModeResponse,
  type SetTriggeringRequest,
  type SetTriggeringResponse,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
  UaStatusError,
} from '@bulkhead/types';
import { createValueChangeFilter } from './data-change-filter.ts';
import type { SubscriptionLimits } from './limits.ts';
import { MonitoredItem, type MonitoredItemParameters } from './monitored-item.ts';
import { requireOperations } from './operations.ts';
import type { SamplingScheduler } from './sampling.ts';
import type { Subscription } from './subscription.ts';
import { reviseSamplingInterval, samplesPerSecond, slowDown } from './subscription-parameters.ts';
import { addTriggeringLink, removeAllTriggeringLinks, removeTriggeringLink } from './triggering.ts';

/** Items deleted between two looks at the clock. */
const ITEMS_PER_CLOCK_READ = 64;

/** A response without its header. */
export type Body<Response> = Omit<Response, 'responseHeader'>;

/** The MonitoredItem Service Set on Subscriptions that the caller has already found. OPC 10000-4 §5.13. */
export class MonitoredItemServices {
  readonly #limits: SubscriptionLimits;
  readonly #source: MonitoredSource;
  readonly #sampling: SamplingScheduler;
  #itemCount = 0;

  constructor(limits: SubscriptionLimits, source: MonitoredSource, sampling: SamplingScheduler) {
    this.#limits = limits;
    this.#source = source;
    this.#sampling = sampling;
  }

  /** MonitoredItems of all Subscriptions. */
  get itemCount(): number {
    return this.#itemCount;
  }

  /** CreateMonitoredItems, OPC 10000-4 §5.13.2. */
  create(subscription: Subscription, request: CreateMonitoredItemsRequest): Body<CreateMonitoredItemsResponse> {
    const items = requireOperations(request.itemsToCreate, this.#limits.maxMonitoredItemsPerCall);
    requireTimestamps(request.timestampsToReturn);
    const results = items.map((item) => this.#createItem(subscription, item, request.timestampsToReturn));
    return { results, diagnosticInfos: [] };
  }

  /** ModifyMonitoredItems, OPC 10000-4 §5.13.3. */
  modify(subscription: Subscription, request: ModifyMonitoredItemsRequest): Body<ModifyMonitoredItemsResponse> {
    const items = requireOperations(request.itemsToModify, this.#limits.maxMonitoredItemsPerCall);
    requireTimestamps(request.timestampsToReturn);
    const results = items.map((item) => this.#modifyItem(subscription, item, request.timestampsToReturn));
    return { results, diagnosticInfos: [] };
  }

  /** SetMonitoringMode, OPC 10000-4 §5.13.4. @throws UaStatusError BadMonitoringModeInvalid */
  setMode(subscription: Subscription, request: SetMonitoringModeRequest): Body<SetMonitoringModeResponse> {
    const ids = requireOperations(request.monitoredItemIds, this.#limits.maxMonitoredItemsPerCall);
    if (!isMonitoringMode(request.monitoringMode)) {
      throw new UaStatusError(StatusCodes.BadMonitoringModeInvalid, `monitoringMode ${String(request.monitoringMode)}`);
    }
    const results = ids.map((id) => {
      const item = subscription.items.get(id);
      if (item === undefined) return StatusCodes.BadMonitoredItemIdInvalid;
      if (item.mode !== request.monitoringMode) subscription.setItemMode(item, request.monitoringMode);
      return StatusCodes.Good;
    });
    return { results, diagnosticInfos: [] };
  }

  /**
   * SetTriggering, OPC 10000-4 §5.13.5: links are removed before others are added.
   * @throws UaStatusError BadMonitoredItemIdInvalid for an unknown triggering item.
   */
  setTriggering(subscription: Subscription, request: SetTriggeringRequest): Body<SetTriggeringResponse> {
    const toAdd = request.linksToAdd ?? [];
    const toRemove = request.linksToRemove ?? [];
    requireOperations([...toAdd, ...toRemove], this.#limits.maxMonitoredItemsPerCall);
    const triggering = subscription.items.get(request.triggeringItemId);
    if (triggering === undefined)
      throw new UaStatusError(StatusCodes.BadMonitoredItemIdInvalid, `triggering item ${request.triggeringItemId}`);
    const removeResults = toRemove.map((id) => removeLink(subscription, triggering, id));
    const addResults = toAdd.map((id) => this.#addLink(subscription, triggering, id));
    return { addResults, addDiagnosticInfos: [], removeResults, removeDiagnosticInfos: [] };
  }

  /** DeleteMonitoredItems, OPC 10000-4 §5.13.6. */
  delete(subscription: Subscription, request: DeleteMonitoredItemsRequest): Body<DeleteMonitoredItemsResponse> {
    const ids = requireOperations(request.monitoredItemIds, this.#limits.maxMonitoredItemsPerCall);
    const results = ids.map((id) => {
      const item = subscription.items.get(id);
      if (item === undefined) return StatusCodes.BadMonitoredItemIdInvalid;
      this.#deleteItem(subscription, item);
      return StatusCodes.Good;
    });
    return { results, diagnosticInfos: [] };
  }

  /** The Subscription ends, and its items with it: those that a slice isn't enough for in later turns. */
  deleteAll(subscription: Subscription): void {
    const { clock, turns } = this.#sampling.runtime;
    const deadlineMs = clock.nowMs() + this.#sampling.sliceMs;
    let count = 0;
    for (const item of subscription.items.values()) {
      this.#deleteItem(subscription, item);
      if (++count % ITEMS_PER_CLOCK_READ !== 0 || clock.nowMs() < deadlineMs) continue;
      turns.defer(() => this.deleteAll(subscription));
      return;
    }
  }

  #createItem(subscription: Subscription, request: MonitoredItemCreateRequest, timestamps: TimestampsToReturn): MonitoredItemCreateResult {
    if (!isMonitoringMode(request.monitoringMode)) return createFailed(StatusCodes.BadMonitoringModeInvalid);
    if (this.#itemCount >= this.#limits.maxMonitoredItems || subscription.items.size >= this.#limits.maxMonitoredItemsPerSubscription) {
      return createFailed(StatusCodes.BadTooManyMonitoredItems);
    }
    const { share } = subscription;
    if (share.itemCount >= this.#limits.maxMonitoredItemsPerOwner) return createFailed(StatusCodes.BadTooManyMonitoredItems);
    const { attributeId } = request.itemToMonitor;
    const target = this.#source.open(request.itemToMonitor, subscription.session);
    if (typeof target === 'number') return createFailed(target);
    const parameters = this.#revise(subscription, request.requestedParameters, attributeId, target, timestamps, 0);
    if (typeof parameters === 'number') return createFailed(parameters);
    const item = new MonitoredItem(
      subscription.takeItemId(),
      subscription,
      attributeId,
      target,
      parameters,
      this.#sampling,
      this.#limits.minSamplingIntervalMs,
    );
    this.#itemCount++;
    share.itemCount++;
    share.samplesPerSecond += item.samplesPerSecond;
    subscription.addItem(item);
    try {
      subscription.setItemMode(item, request.monitoringMode);
    } catch (error) {
      this.#deleteItem(subscription, item);
      if (error instanceof UaStatusError) return createFailed(error.statusCode);
      this.#sampling.runtime.log.log('error', 'monitoredItem.createFailed', { subscriptionId: subscription.id, error });
      return createFailed(StatusCodes.BadInternalError);
    }
    return {
      statusCode: StatusCodes.Good,
      monitoredItemId: item.id,
      revisedSamplingInterval: parameters.samplingIntervalMs,
      revisedQueueSize: parameters.queueSize,
      filterResult: ExtensionObject.NULL,
    };
  }

  #modifyItem(subscription: Subscription, request: MonitoredItemModifyRequest, timestamps: TimestampsToReturn): MonitoredItemModifyResult {
    const item = subscription.items.get(request.monitoredItemId);
    if (item === undefined) return modifyFailed(StatusCodes.BadMonitoredItemIdInvalid);
    const { samplesPerSecond } = item;
    const parameters = this.#revise(subscription, request.requestedParameters, item.attributeId, item.target, timestamps, samplesPerSecond);
    if (typeof parameters === 'number') return modifyFailed(parameters);
    subscription.share.samplesPerSecond += parameters.samplesPerSecond - samplesPerSecond;
    const lost = item.modify(parameters);
    if (lost > 0) subscription.valuesDropped(item, lost);
    return {
      statusCode: StatusCodes.Good,
      revisedSamplingInterval: parameters.samplingIntervalMs,
      revisedQueueSize: parameters.queueSize,
      filterResult: ExtensionObject.NULL,
    };
  }

  #revise(
    subscription: Subscription,
    requested: MonitoringParameters,
    attributeId: number,
    target: MonitoredTarget,
    timestampsToReturn: TimestampsToReturn,
    ownSamplesPerSecond: number,
  ): MonitoredItemParameters | StatusCode {
    const filter = createValueChangeFilter(requested.filter, attributeId, target);
    if (typeof filter === 'number') return filter;
    const wantedMs = reviseSamplingInterval(
      requested.samplingInterval,
      target.minimumSamplingIntervalMs,
      subscription.parameters.publishingIntervalMs,
      this.#limits,
    );
    const ofOthers = subscription.share.samplesPerSecond - ownSamplesPerSecond;
    const samplingIntervalMs = slowDown(wantedMs, this.#limits.maxSamplesPerSecondPerOwner - ofOthers, this.#limits);
    return {
      clientHandle: requested.clientHandle,
      samplingIntervalMs,
      samplesPerSecond: samplesPerSecond(samplingIntervalMs, this.#limits),
      queueSize: Math.max(1, Math.min(requested.queueSize, this.#limits.maxMonitoredItemsQueueSize)),
      discardOldest: requested.discardOldest,
      filter,
      timestampsToReturn,
    };
  }

  #deleteItem(subscription: Subscription, item: MonitoredItem): void {
    subscription.triggeringLinkCount -= removeAllTriggeringLinks(item);
    subscription.removeItem(item);
    const { share } = subscription;
    share.itemCount--;
    share.samplesPerSecond -= item.samplesPerSecond;
    this.#itemCount--;
  }

  #addLink(subscription: Subscription, triggering: MonitoredItem, id: number): StatusCode {
    const triggered = subscription.items.get(id);
    // An item can't trigger itself.
    if (triggered === undefined || triggered === triggering) return StatusCodes.BadMonitoredItemIdInvalid;
    if (triggering.triggeredItems?.has(triggered)) return StatusCodes.Good;
    if (subscription.triggeringLinkCount >= this.#limits.maxTriggeringLinksPerSubscription) return StatusCodes.BadResourceUnavailable;
    addTriggeringLink(triggering, triggered);
    subscription.triggeringLinkCount++;
    return StatusCodes.Good;
  }
}

function removeLink(subscription: Subscription, triggering: MonitoredItem, id: number): StatusCode {
  const triggered = subscription.items.get(id);
  if (triggered === undefined || !removeTriggeringLink(triggering, triggered)) return StatusCodes.BadMonitoredItemIdInvalid;
  subscription.triggeringLinkCount--;
  return StatusCodes.Good;
}

function isMonitoringMode(mode: number): mode is MonitoringMode {
  return mode === MonitoringMode.Disabled || mode === MonitoringMode.Sampling || mode === MonitoringMode.Reporting;
}

function requireTimestamps(timestamps: TimestampsToReturn): void {
  if (timestamps >= TimestampsToReturn.Source && timestamps <= TimestampsToReturn.Neither) return;
  throw new UaStatusError(StatusCodes.BadTimestampsToReturnInvalid, `timestampsToReturn ${timestamps}`);
}

function createFailed(statusCode: StatusCode): MonitoredItemCreateResult {
  return { statusCode, monitoredItemId: 0, revisedSamplingInterval: 0, revisedQueueSize: 0, filterResult: ExtensionObject.NULL };
}

function modifyFailed(statusCode: StatusCode): MonitoredItemModifyResult {
  return { statusCode, revisedSamplingInterval: 0, revisedQueueSize: 0, filterResult: ExtensionObject.NULL };
}
