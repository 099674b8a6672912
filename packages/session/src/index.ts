export { defaultPasswordLockoutOptions, PasswordLockout, type PasswordLockoutOptions } from './password-lockout.ts';
export { ANONYMOUS_IDENTITY, Session, type SessionCloseReason, type SessionSeed } from './session.ts';
export { type SessionBoundListener, type SessionClosedListener, SessionManager } from './session-manager.ts';
export {
  defaultSessionLimits,
  type ServerCredentials,
  type SessionEndpoints,
  type SessionLimits,
  type SessionManagerOptions,
  type UserValidator,
} from './session-options.ts';
