import type { ClientApplication } from '../client-application.ts';
import type { OpenSessionOptions } from '../open-session.ts';
import type { ConnectGate } from '../reconnect/connect-gate.ts';
import type { ConnectionState } from '../reconnect/connection-state-machine.ts';
import type { AttemptFailure, ReconnectDelays } from '../reconnect/reconnect-policy.ts';
import type { Subscription } from '../subscription/subscription.ts';

export interface ManagedSessionOptions extends OpenSessionOptions {
  readonly application: ClientApplication;
  /** When to try again. Default: `new ReconnectPolicy()`. */
  readonly reconnectPolicy?: ReconnectDelays;
  /** Bounds how many sessions establish their connection at once. Default: none. */
  readonly connectGate?: ConnectGate;
  /** How often an idle session shows that it is alive, ms. Default: a third of the Session's timeout, 10 s at most. */
  readonly keepAliveIntervalMs?: number;
  /** Requests that may wait for a connection. Default 1,000. */
  readonly maxWaitingRequests?: number;
  /** Publish requests in flight at most. Default 10. */
  readonly maxPublishRequests?: number;
  /** Hears what happens; what it throws is logged. */
  readonly onEvent?: (event: ManagedSessionEvent) => void;
}

/** What happens to a managed session. */
export type ManagedSessionEvent =
  | { readonly kind: 'state'; readonly state: ConnectionState }
  /** `waitMs`: until the next attempt; undefined when there is none. */
  | { readonly kind: 'attemptFailed'; readonly failure: AttemptFailure; readonly error: Error; readonly waitMs: number | undefined }
  /** `isSameSession`: the Session in the server lived on. */
  | { readonly kind: 'established'; readonly isSameSession: boolean }
  /** Its values from before were lost, if there were any. */
  | { readonly kind: 'subscriptionRecreated'; readonly subscription: Subscription };
