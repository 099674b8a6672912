import {
  AttributeIds,
  type DataValue,
  ExtensionObject,
  MonitoredItemCreateRequest,
  type MonitoredItemCreateResult,
  MonitoringMode,
  MonitoringParameters,
  ReadValueId,
  type StatusCode,
  StatusCodes,
  type Variant,
} from '@bulkhead/types';
import type { NodeIdLike } from '../session/session-operations.ts';
import { nodeIdOf } from '../session/session-operations.ts';
import { NotificationBuffer } from './notification-buffer.ts';

/** How a node is watched. */
export interface MonitorOptions<T = DataValue> {
  /** Default Value. */
  readonly attributeId?: number;
  readonly indexRange?: string;
  /** ms; 0: as fast as the server can; -1, the default: the publishing interval. */
  readonly samplingIntervalMs?: number;
  /** Values that the server keeps between two messages. Default 10. */
  readonly queueSize?: number;
  /** Which value the server drops from a full queue. Default true. */
  readonly discardOldest?: boolean;
  readonly filter?: ExtensionObject;
  /** Default Reporting. */
  readonly monitoringMode?: MonitoringMode;
  /** Values kept here until the iterator takes them; then the oldest is dropped and counted in `dropped`. Default 1,000. */
  readonly bufferSize?: number;
  /** Takes each value at once instead of the iterator. Must not throw. */
  readonly onValue?: (value: T) => void;
}

/** A value that changed, or the fields of an event. */
export type NotificationValue = DataValue | readonly Variant[];

/** A watched attribute or event source. Iterating gives what the server reports; it ends with its Subscription. */
export class MonitoredItem<T extends NotificationValue = DataValue> implements AsyncIterable<T> {
  readonly clientHandle: number;
  readonly #request: Omit<MonitoredItemCreateRequest, 'requestedParameters'>;
  readonly #parameters: MonitoringParameters;
  readonly #buffer: NotificationBuffer<T>;
  readonly #onValue: ((value: T) => void) | undefined;
  #result: MonitoredItemCreateResult | undefined;

  constructor(clientHandle: number, node: NodeIdLike, options: MonitorOptions<T>) {
    const { attributeId = AttributeIds.Value, indexRange = null, monitoringMode = MonitoringMode.Reporting } = options;
    this.clientHandle = clientHandle;
    this.#request = { itemToMonitor: ReadValueId.create({ nodeId: nodeIdOf(node), attributeId, indexRange }), monitoringMode };
    this.#parameters = MonitoringParameters.create({
      clientHandle,
      samplingInterval: options.samplingIntervalMs ?? -1,
      filter: options.filter ?? ExtensionObject.NULL,
      queueSize: options.queueSize ?? 10,
      discardOldest: options.discardOldest ?? true,
    });
    this.#buffer = new NotificationBuffer(options.bufferSize ?? 1000);
    this.#onValue = options.onValue;
  }

  /** The server's id; another one after the Subscription had to be made anew. 0 while there is none. */
  get id(): number {
    return this.#result?.monitoredItemId ?? 0;
  }

  /** Whether the server watches: Good, or why not. */
  get statusCode(): StatusCode {
    return this.#result?.statusCode ?? StatusCodes.BadNotConnected;
  }

  get revisedSamplingIntervalMs(): number {
    return this.#result?.revisedSamplingInterval ?? 0;
  }

  get revisedQueueSize(): number {
    return this.#result?.revisedQueueSize ?? 0;
  }

  /** Values dropped here because the iterator didn't take them in time. */
  get dropped(): number {
    return this.#buffer.dropped;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return this.#buffer;
  }

  /** For the Subscription: what creates this item. */
  createRequest(): MonitoredItemCreateRequest {
    return MonitoredItemCreateRequest.create({ ...this.#request, requestedParameters: this.#parameters });
  }

  /** For the Subscription: what the server answered. */
  created(result: MonitoredItemCreateResult): void {
    this.#result = result;
  }

  /** For the Subscription: a notification came. */
  notify(value: T): void {
    if (this.#onValue === undefined) this.#buffer.push(value);
    else this.#onValue(value);
  }

  /** For the Subscription: nothing more comes. */
  end(error?: Error): void {
    this.#buffer.end(error);
  }
}
