import { StatusCodes, UaStatusError } from '@bulkhead/types';
import type { ClientApplication } from '../client-application.ts';
import { type DiscoveredEndpoint, discoverEndpoint, type OpenSessionOptions, openConnection, sessionSeed } from '../open-session.ts';
import { ReconnectPolicy } from '../reconnect/reconnect-policy.ts';
import { ServiceResultError } from '../service-result-error.ts';
import { ClientSession } from '../session/client-session.ts';

/** A Session on a new connection. */
export interface Establishment {
  readonly session: ClientSession;
  /** `reactivated`: the same Session as before, with its Subscriptions. */
  readonly kind: 'created' | 'reactivated';
}

/** Failures of the way to the server, which say nothing about what it offers. */
const TRANSPORT_CODES: ReadonlySet<number> = new Set([
  StatusCodes.BadConnectionRejected,
  StatusCodes.BadConnectionClosed,
  StatusCodes.BadCommunicationError,
  StatusCodes.BadRequestCancelledByClient,
]);

/** Makes one attempt at a time to get a Session: the old one on a new connection, or a new one. */
export class SessionEstablisher {
  readonly #application: ClientApplication;
  readonly #options: OpenSessionOptions;
  /** Kept while it works, so that a reconnect costs one connection. */
  #discovered: DiscoveredEndpoint | undefined;

  constructor(application: ClientApplication, options: OpenSessionOptions) {
    this.#application = application;
    this.#options = options;
  }

  /** @throws UaStatusError (as a rejection); nothing stays open then. */
  async establish(previous: ClientSession | undefined, signal: AbortSignal): Promise<Establishment> {
    try {
      const discovered = this.#discovered ?? (await discoverEndpoint(this.#application, this.#options, signal));
      const establishment = await this.#connect(discovered, previous, signal);
      this.#discovered = discovered;
      return establishment;
    } catch (error) {
      if (!isTransient(error)) this.#discovered = undefined;
      throw error;
    }
  }

  async #connect(discovered: DiscoveredEndpoint, previous: ClientSession | undefined, signal: AbortSignal): Promise<Establishment> {
    const connection = await openConnection(this.#application, this.#options, discovered, signal);
    try {
      if (previous !== undefined) {
        try {
          await previous.activateOn(connection, { signal });
          return { session: previous, kind: 'reactivated' };
        } catch (error) {
          if (!(error instanceof ServiceResultError) || isTransient(error) || !connection.isOpen) throw error;
        }
      }
      const session = await ClientSession.create(connection, sessionSeed(this.#application, this.#options, discovered), { signal });
      return { session, kind: 'created' };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof UaStatusError)) return false;
  return TRANSPORT_CODES.has(error.statusCode) || ReconnectPolicy.isServerBusySignal(error.statusCode);
}
