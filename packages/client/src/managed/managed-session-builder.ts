import type { ClientApplication } from '../client-application.ts';
import type { OpenSessionOptions } from '../open-session.ts';
import { ConcurrencyConnectGate, type ConnectGate } from '../reconnect/connect-gate.ts';
import type { ReconnectDelays } from '../reconnect/reconnect-policy.ts';
import type { ClientUser } from '../session/user-identity.ts';
import { ManagedSession } from './managed-session.ts';
import type { ManagedSessionEvent, ManagedSessionOptions } from './managed-session-options.ts';

/** Describes managed sessions step by step; each `connect` makes one. All that one builder makes share its connect gate. */
export class ManagedSessionBuilder {
  readonly #application: ClientApplication;
  #options: Omit<ManagedSessionOptions, 'application' | 'endpointUrl'> = {};

  constructor(application: ClientApplication) {
    this.#application = application;
  }

  /** Default: the strongest that both sides know. */
  withSecurity(security: NonNullable<OpenSessionOptions['security']>): this {
    return this.#with({ security });
  }

  /** Default: anonymous. */
  withUser(user: ClientUser): this {
    return this.#with({ user });
  }

  withReconnectPolicy(reconnectPolicy: ReconnectDelays): this {
    return this.#with({ reconnectPolicy });
  }

  /**
   * Bounds how many sessions establish their connection at once; the rest wait, as long as it takes. Off unless this is called.
   * @param limit how many, an integer >= 1, or a gate that is shared with others.
   * @throws RangeError
   */
  withConnectRateLimiter(limit: number | ConnectGate): this {
    return this.#with({ connectGate: typeof limit === 'number' ? new ConcurrencyConnectGate(limit) : limit });
  }

  onEvent(onEvent: (event: ManagedSessionEvent) => void): this {
    return this.#with({ onEvent });
  }

  /** Anything else. */
  withOptions(options: Partial<Omit<ManagedSessionOptions, 'application' | 'endpointUrl'>>): this {
    return this.#with(options);
  }

  /** @throws as `ManagedSession.connect` */
  connect(endpointUrl: string, signal?: AbortSignal): Promise<ManagedSession> {
    return ManagedSession.connect({ ...this.#options, application: this.#application, endpointUrl }, signal);
  }

  #with(options: Partial<ManagedSessionOptions>): this {
    this.#options = { ...this.#options, ...options };
    return this;
  }
}
