import type { ServiceHandler, SessionContext } from '@bulkhead/contracts';
import type { SessionManager } from '@bulkhead/session';
import type {
  ActivateSessionRequest,
  ActivateSessionResponse,
  CancelRequest,
  CancelResponse,
  CloseSessionRequest,
  CloseSessionResponse,
  CreateSessionRequest,
  CreateSessionResponse,
} from '@bulkhead/types';
import { requireSession } from './require-session.ts';

/** CreateSession, ActivateSession, CloseSession and Cancel. OPC 10000-4 §5.7. */
export interface SessionServiceSet {
  readonly CreateSession: ServiceHandler<CreateSessionRequest, CreateSessionResponse>;
  readonly ActivateSession: ServiceHandler<ActivateSessionRequest, ActivateSessionResponse>;
  readonly CloseSession: ServiceHandler<CloseSessionRequest, CloseSessionResponse>;
  readonly Cancel: ServiceHandler<CancelRequest, CancelResponse>;
}

/** Ends a Session's requests that have this handle; returns how many. */
export type CancelRequests = (session: SessionContext, requestHandle: number) => number;

export function createSessionServiceSet(sessions: SessionManager, cancelRequests: CancelRequests): SessionServiceSet {
  return {
    CreateSession: (request, { channel }) => sessions.createSession(request, channel),
    ActivateSession: (request, { channel }) => sessions.activateSession(request, channel),
    CloseSession: (request, context) => sessions.closeSession(request, requireSession(context)),
    Cancel: (request, context) => ({ cancelCount: cancelRequests(requireSession(context), request.requestHandle) }),
  };
}
