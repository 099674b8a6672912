import type { ConnectionThrottle } from '@bulkhead/limits';
import type { Owner } from '@bulkhead/resource-isolation';

/** Gives every connection what limits its bytes per second. */
export interface ConnectionThrottles {
  /**
   * @param owner whose connection it is, as far as that is known before anything is authenticated.
   * @returns its throttle, which is disposed with the connection if it can be; undefined when the connection has to be refused.
   */
  attach(owner: Owner, nowMs: number): (ConnectionThrottle & Partial<Disposable>) | undefined;
}
