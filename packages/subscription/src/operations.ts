import { StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * The operations of a request, never none and never more than `limit`. OPC 10000-4 §7.38.2.
 * @throws UaStatusError BadNothingToDo, BadTooManyOperations
 */
export function requireOperations<T>(operations: readonly T[] | null, limit: number): readonly T[] {
  if (operations === null || operations.length === 0) throw new UaStatusError(StatusCodes.BadNothingToDo, 'no operations');
  if (operations.length > limit)
    throw new UaStatusError(StatusCodes.BadTooManyOperations, `${operations.length} operations, limit ${limit}`);
  return operations;
}
