import { createSubscriptionLimits } from '@bulkhead/subscription';
import { OptionsError, type ServerOptions } from './server-options.ts';

const MAX_OPERATIONS = 0x7fffffff;

/**
 * Checks the limits of operations and subscriptions: each has to be finite, and 0 never means unlimited.
 * @throws OptionsError naming the limit's path.
 */
export function checkLimits({ operationLimits, subscriptionLimits }: ServerOptions): void {
  for (const [name, value] of given(operationLimits)) {
    if (Number.isSafeInteger(value) && value >= 1 && value <= MAX_OPERATIONS) continue;
    throw new OptionsError(`operationLimits.${name}`, `an integer from 1 to ${MAX_OPERATIONS}`, value);
  }
  for (const [name, value] of given(subscriptionLimits)) {
    if (typeof value === 'boolean' || (value >= 1 && value < Number.MAX_SAFE_INTEGER)) continue;
    throw new OptionsError(`subscriptionLimits.${name}`, 'a number from 1', value);
  }
  try {
    createSubscriptionLimits(subscriptionLimits);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OptionsError('subscriptionLimits', `limits that fit together (${error.message})`, subscriptionLimits);
  }
}

/** The limits that were given, by name. */
function given<T extends object>(limits: T | undefined): [string, NonNullable<T[keyof T]>][] {
  return Object.entries(limits ?? {}).filter(([, value]) => value !== undefined) as [string, NonNullable<T[keyof T]>][];
}
