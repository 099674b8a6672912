import { StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * The operations of a request, checked as every service does first. OPC 10000-4 §7.39 (BadNothingToDo, BadTooManyOperations).
 * @param limit most operations per request, as ServerCapabilities.OperationLimits publishes it.
 * @throws UaStatusError BadNothingToDo, BadTooManyOperations
 */
export function requireOperations<T>(operations: readonly T[] | null, limit: number): readonly T[] {
  if (operations === null || operations.length === 0) throw new UaStatusError(StatusCodes.BadNothingToDo, 'no operations');
  if (operations.length > limit)
    throw new UaStatusError(StatusCodes.BadTooManyOperations, `${operations.length} operations, at most ${limit}`);
  return operations;
}
