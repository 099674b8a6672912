import {
  AttributeIds,
  BrowseDescription,
  BrowseDirection,
  BrowsePath,
  type BrowsePathTarget,
  type BrowseResult,
  CallMethodRequest,
  DataValue,
  isBad,
  NodeId,
  type QualifiedName,
  ReadValueId,
  type ReferenceDescription,
  ReferenceTypeIds,
  RelativePath,
  RelativePathElement,
  type RequestType,
  type ResponseType,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
  UaStatusError,
  type Variant,
  WriteValue,
} from '@bulkhead/types';
import type { RequestOptions } from '../connection/client-connection.ts';
import type { AnyRequest, AnyResponse, RequestFields } from '../connection/service-message.ts';
import { statusText } from '../service-result-error.ts';
import type { Subscription } from '../subscription/subscription.ts';
import type { SubscriptionOptions } from '../subscription/subscription-options.ts';
import type { SubscriptionSet } from '../subscription/subscription-set.ts';
import { createSessionServices, type ServiceCaller, type SessionServices } from './session-services.ts';

/** A node: its NodeId or the text form, `ns=2;s=Boiler`. */
export type NodeIdLike = NodeId | string;

/** What a Browse looks for. */
export interface BrowseOptions extends RequestOptions {
  readonly direction?: BrowseDirection;
  /** Default HierarchicalReferences with subtypes. */
  readonly referenceTypeId?: NodeId;
  readonly includeSubtypes?: boolean;
  /** Bits of NodeClass; 0, the default, means all. */
  readonly nodeClassMask?: number;
  /** References per response; 0, the default, leaves it to the server. */
  readonly maxReferencesPerNode?: number;
}

/** Every field of a ReferenceDescription. */
const ALL_FIELDS = 63;

/** The common uses of a Session's services, in a shape that is easy to call. Everything else: `services`, `request`. */
export abstract class SessionOperations implements ServiceCaller {
  /** Every service as it travels. */
  readonly services: SessionServices = createSessionServices(this);

  /** The Subscriptions of this session. */
  abstract readonly subscriptions: SubscriptionSet;

  /** Sends any request in this Session. @throws as `ClientConnection.request` */
  abstract request<Request extends AnyRequest, Response extends AnyResponse>(
    requestType: RequestType<Request>,
    responseType: ResponseType<Response>,
    fields: RequestFields<Request>,
    options?: RequestOptions,
  ): Promise<Response>;

  /** Creates a Subscription; `monitor` then watches nodes. @throws as `ClientConnection.request` */
  subscribe(options: SubscriptionOptions = {}): Promise<Subscription> {
    return this.subscriptions.create(options);
  }

  /** The Value attribute of a node; its StatusCode may be bad. */
  async readValue(nodeId: NodeIdLike, options?: RequestOptions): Promise<DataValue> {
    return (await this.readValues([nodeId], options))[0] as DataValue;
  }

  /** The Value attributes of nodes, in their order; the StatusCodes may be bad. */
  readValues(nodeIds: readonly NodeIdLike[], options?: RequestOptions): Promise<DataValue[]> {
    return this.readAttributes(
      nodeIds.map((nodeId) => ({ nodeId: nodeIdOf(nodeId), attributeId: AttributeIds.Value })),
      options,
    );
  }

  /** Any attributes of nodes, in their order; the StatusCodes may be bad. */
  async readAttributes(attributes: readonly Partial<ReadValueId>[], options?: RequestOptions): Promise<DataValue[]> {
    const nodesToRead = attributes.map((attribute) => ReadValueId.create(attribute));
    const { results } = await this.services.read({ nodesToRead, timestampsToReturn: TimestampsToReturn.Both }, options);
    return expectResults(results, nodesToRead.length);
  }

  /** Writes the Value attribute of a node. @returns what the server says; may be bad. */
  async writeValue(nodeId: NodeIdLike, value: Variant, options?: RequestOptions): Promise<StatusCode> {
    const nodesToWrite = [WriteValue.create({ nodeId: nodeIdOf(nodeId), attributeId: AttributeIds.Value, value: new DataValue(value) })];
    const { results } = await this.services.write({ nodesToWrite }, options);
    return expectResults(results, 1)[0] as StatusCode;
  }

  /**
   * The references of a node, fetched as they are asked for; a loop that is left early gives the continuation point back.
   * @throws UaStatusError (as a rejection) with the StatusCode of the BrowseResult.
   */
  async *browse(nodeId: NodeIdLike, options: BrowseOptions = {}): AsyncGenerator<ReferenceDescription, void, undefined> {
    const { maxReferencesPerNode = 0, signal, timeoutMs } = options;
    const nodesToBrowse = [browseDescriptionOf(nodeIdOf(nodeId), options)];
    const requestOptions = { signal, timeoutMs };
    const browsed = await this.services.browse({ nodesToBrowse, requestedMaxReferencesPerNode: maxReferencesPerNode }, requestOptions);
    let result = expectGood(browsed.results);
    let isDone = false;
    try {
      for (;;) {
        yield* result.references ?? [];
        if (!hasMore(result)) break;
        const next = await this.services.browseNext({ continuationPoints: [result.continuationPoint] }, requestOptions);
        result = expectGood(next.results);
      }
      isDone = true;
    } finally {
      if (!isDone && hasMore(result)) {
        const continuationPoints = [result.continuationPoint];
        await this.services.browseNext({ releaseContinuationPoints: true, continuationPoints }).catch(() => undefined);
      }
    }
  }

  /** All references of a node. @throws as `browse` */
  async browseAll(nodeId: NodeIdLike, options?: BrowseOptions): Promise<ReferenceDescription[]> {
    const references: ReferenceDescription[] = [];
    for await (const reference of this.browse(nodeId, options)) references.push(reference);
    return references;
  }

  /** Calls a method. @returns its output arguments. @throws UaStatusError (as a rejection) with the StatusCode of the call. */
  async callMethod(
    objectId: NodeIdLike,
    methodId: NodeIdLike,
    inputArguments: readonly Variant[] = [],
    options?: RequestOptions,
  ): Promise<readonly Variant[]> {
    const request = CallMethodRequest.create({ objectId: nodeIdOf(objectId), methodId: nodeIdOf(methodId), inputArguments });
    const { results } = await this.services.call({ methodsToCall: [request] }, options);
    return expectGood(results).outputArguments ?? [];
  }

  /**
   * The nodes at the end of a path of BrowseNames along hierarchical references.
   * @throws UaStatusError (as a rejection) BadNoMatch and others.
   */
  async translateBrowsePath(
    startingNode: NodeIdLike,
    path: readonly QualifiedName[],
    options?: RequestOptions,
  ): Promise<readonly BrowsePathTarget[]> {
    const elements = path.map((targetName) =>
      RelativePathElement.create({ referenceTypeId: HIERARCHICAL_REFERENCES, includeSubtypes: true, targetName }),
    );
    const browsePath = BrowsePath.create({ startingNode: nodeIdOf(startingNode), relativePath: RelativePath.create({ elements }) });
    const { results } = await this.services.translateBrowsePathsToNodeIds({ browsePaths: [browsePath] }, options);
    return expectGood(results).targets ?? [];
  }
}

const HIERARCHICAL_REFERENCES: NodeId = NodeId.numeric(0, ReferenceTypeIds.HierarchicalReferences);

/** @throws DecodingError for a text that is no NodeId. */
export function nodeIdOf(nodeId: NodeIdLike): NodeId {
  return typeof nodeId === 'string' ? NodeId.parse(nodeId) : nodeId;
}

/** @throws UaStatusError BadUnknownResponse when a server doesn't answer each operation. */
export function expectResults<T>(results: readonly T[] | null, count: number): T[] {
  if (results?.length === count) return [...results];
  throw new UaStatusError(StatusCodes.BadUnknownResponse, `${results?.length ?? 0} results for ${count} operations`);
}

function expectGood<T extends { readonly statusCode: StatusCode }>(results: readonly T[] | null): T {
  const result = expectResults(results, 1)[0] as T;
  if (isBad(result.statusCode)) throw new UaStatusError(result.statusCode, statusText(result.statusCode));
  return result;
}

function hasMore({ continuationPoint }: BrowseResult): boolean {
  return continuationPoint !== null && continuationPoint.length > 0;
}

function browseDescriptionOf(nodeId: NodeId, options: BrowseOptions): BrowseDescription {
  return BrowseDescription.create({
    nodeId,
    browseDirection: options.direction ?? BrowseDirection.Forward,
    referenceTypeId: options.referenceTypeId ?? HIERARCHICAL_REFERENCES,
    includeSubtypes: options.includeSubtypes ?? true,
    nodeClassMask: options.nodeClassMask ?? 0,
    resultMask: ALL_FIELDS,
  });
}
