import type { AddressSpace } from '@bulkhead/address-space';
import type { ServiceContext, ServiceHandler } from '@bulkhead/contracts';
import {
  type DataValue,
  type ReadRequest,
  type ReadResponse,
  type ReadValueId,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
  UaStatusError,
  type WriteRequest,
  type WriteResponse,
  type WriteValue,
} from '@bulkhead/types';
import type { OperationLimits } from './limits.ts';
import { runOperations, type Stretch } from './operation-loop.ts';
import { requireOperations } from './operations.ts';

/** Read and Write. OPC 10000-4 §5.11. */
export interface AttributeServiceSet {
  readonly Read: ServiceHandler<ReadRequest, ReadResponse>;
  readonly Write: ServiceHandler<WriteRequest, WriteResponse>;
}

export function createAttributeServiceSet(space: AddressSpace, limits: OperationLimits): AttributeServiceSet {
  const atOneInstant: Stretch = { begin: () => space.holdTime(), end: () => space.releaseTime() };
  return {
    Read: (request, context) => {
      const { maxAge, timestampsToReturn } = request;
      if (!(maxAge >= 0)) throw new UaStatusError(StatusCodes.BadMaxAgeInvalid, `maxAge ${maxAge}`);
      if (!(timestampsToReturn >= TimestampsToReturn.Source && timestampsToReturn <= TimestampsToReturn.Neither)) {
        throw new UaStatusError(StatusCodes.BadTimestampsToReturnInvalid, `timestampsToReturn ${timestampsToReturn}`);
      }
      const nodes = requireOperations(request.nodesToRead, limits.maxNodesPerRead);
      const parts = new PartsOfArrays();
      const read = (item: ReadValueId, caller: ServiceContext): DataValue | Promise<DataValue> =>
        parts.charge(item, space.readAttribute(caller.session, item, timestampsToReturn, maxAge, caller));
      return withResults(runOperations(nodes, context, read, { stretch: atOneInstant }));
    },
    Write: (request, context) => {
      const nodes = requireOperations(request.nodesToWrite, limits.maxNodesPerWrite);
      const write = (item: WriteValue, caller: ServiceContext): StatusCode | Promise<StatusCode> =>
        space.writeAttribute(caller.session, item, caller);
      return withResults(runOperations(nodes, context, write, { operationsPerLook: 1 }));
    },
  };
}

/** In all results of one response together, each at least a byte: more would not fit into a message. */
const MAX_COPIED_ELEMENTS = 16_777_216;

/** Bounds the elements that the index ranges of one Read copy: many ranges of one large array need more memory than there is. */
class PartsOfArrays {
  #elementsLeft = MAX_COPIED_ELEMENTS;

  /** @throws UaStatusError (or rejects with) BadResponseTooLarge. */
  charge(item: ReadValueId, value: DataValue | Promise<DataValue>): DataValue | Promise<DataValue> {
    if (item.indexRange === null || item.indexRange === '') return value;
    return value instanceof Promise ? value.then((late) => this.#charge(late)) : this.#charge(value);
  }

  #charge(value: DataValue): DataValue {
    this.#elementsLeft -= value.value?.elements?.length ?? 0;
    if (this.#elementsLeft < 0) throw new UaStatusError(StatusCodes.BadResponseTooLarge, 'parts of arrays');
    return value;
  }
}

/** A response with one result per operation and no diagnostics. */
export interface OperationResults<Result> {
  readonly results: Result[];
  readonly diagnosticInfos: null;
}

/** Wraps operation results into a response body, at once when they are there. */
export function withResults<Result>(results: Result[] | Promise<Result[]>): OperationResults<Result> | Promise<OperationResults<Result>> {
  return results instanceof Promise ? results.then(asBody) : asBody(results);
}

function asBody<Result>(results: Result[]): OperationResults<Result> {
  return { results, diagnosticInfos: null };
}
