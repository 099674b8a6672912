import type { RequestSink, Runtime } from '@bulkhead/contracts';
import type { ResourceIsolationProvider } from '@bulkhead/resource-isolation';
import type { ConnectionThrottles, UnsentBytes } from '@bulkhead/transport';
import type { HttpsChannels } from './https-channels.ts';
import type { HttpsLimits } from './https-limits.ts';
import type { SessionlessBudget } from './sessionless/sessionless-budget.ts';
import type { SessionlessUsers } from './sessionless/sessionless-callers.ts';

/** What requests without a Session need. */
export interface SessionlessInvocation {
  readonly users: SessionlessUsers;
  readonly budget: SessionlessBudget;
}

/** What all HTTPS connections of a server share. */
export interface HttpsEnvironment {
  readonly runtime: Runtime;
  readonly sink: RequestSink;
  readonly provider: ResourceIsolationProvider;
  readonly limits: HttpsLimits;
  readonly channels: HttpsChannels;
  readonly unsent: UnsentBytes;
  /** Undefined where bytes per second aren't limited. */
  readonly throttles: ConnectionThrottles | undefined;
  /** Undefined where requests need a Session. */
  readonly sessionless: SessionlessInvocation | undefined;
}
