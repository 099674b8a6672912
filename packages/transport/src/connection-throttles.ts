import type { ConnectionThrottle } from '@bulkhead/limits';
import type { Owner } from '@bulkhead/resource-isolation';

/** Gives every connection what limits its bytes per second. */
export interface ConnectionThrottles {
  /**
   * @param owner whose connection it is, as far as that is known before anything is authenticated.
   * @returns its throttle; disposed with the connection if it can be.
   */
  attach(owner: Owner, nowMs: number): ConnectionThrottle & Partial<Disposable>;
}
