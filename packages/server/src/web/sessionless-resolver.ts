import type { SecureChannelContext, SessionContext, SessionResolver } from '@bulkhead/contracts';
import { HttpsChannel, SessionlessSession } from '@bulkhead/transport-https';
import type { NodeId } from '@bulkhead/types';

/** Finds who asks without a Session where there is none to be found. */
export class SessionlessResolver implements SessionResolver {
  readonly #sessions: SessionResolver;

  constructor(sessions: SessionResolver) {
    this.#sessions = sessions;
  }

  resolve(authenticationToken: NodeId, channel: SecureChannelContext, needsActivation: boolean, nowMs: number): SessionContext {
    if (channel instanceof HttpsChannel && channel.sessionless !== undefined && authenticationToken.isNull) return channel.sessionless;
    return this.#sessions.resolve(authenticationToken, channel, needsActivation, nowMs);
  }

  isBound(session: SessionContext, channel: SecureChannelContext, nowMs: number): boolean {
    if (session instanceof SessionlessSession) return channel.isOpen && session.channel === channel;
    return this.#sessions.isBound(session, channel, nowMs);
  }

  findReturning(authenticationToken: NodeId, channel: SecureChannelContext, nowMs: number): SessionContext | undefined {
    return this.#sessions.findReturning(authenticationToken, channel, nowMs);
  }
}
