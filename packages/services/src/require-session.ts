import type { ServiceContext, SessionContext } from '@bulkhead/contracts';
import { StatusCodes, UaStatusError } from '@bulkhead/types';

/**
 * The Session of a request whose service needs one. The dispatcher lets such a service run only with a Session.
 * @throws UaStatusError BadSessionIdInvalid
 */
export function requireSession(context: ServiceContext): SessionContext {
  if (context.session === undefined) throw new UaStatusError(StatusCodes.BadSessionIdInvalid, 'no Session');
  return context.session;
}
