import type { AddressSpace } from '@bulkhead/address-space';
import type { ServiceContext, ServiceHandler } from '@bulkhead/contracts';
import type { CallMethodRequest, CallMethodResult, CallRequest, CallResponse } from '@bulkhead/types';
import { withResults } from './attribute-service-set.ts';
import type { OperationLimits } from './limits.ts';
import { runOperations } from './operation-loop.ts';
import { requireOperations } from './operations.ts';

/** Call. OPC 10000-4 §5.12. */
export interface MethodServiceSet {
  readonly Call: ServiceHandler<CallRequest, CallResponse>;
}

export function createMethodServiceSet(space: AddressSpace, limits: OperationLimits): MethodServiceSet {
  const call = (method: CallMethodRequest, caller: ServiceContext): CallMethodResult | Promise<CallMethodResult> =>
    space.callMethod(caller.session, method, caller);
  return {
    Call: (request, context) =>
      withResults(
        runOperations(requireOperations(request.methodsToCall, limits.maxNodesPerMethodCall), context, call, { operationsPerLook: 1 }),
      ),
  };
}
