import type { SecureChannelContext, SessionContext, UserIdentity } from '@bulkhead/contracts';
import { ANONYMOUS_IDENTITY, type SessionManager } from '@bulkhead/session';
import type { Authorization, SessionlessUsers } from '@bulkhead/transport-https';
import { UserTokenType } from '@bulkhead/types';
import { asIdentity } from '../user-validation.ts';
import type { SessionlessSettings } from './https-options.ts';

/** Says who asks over HTTPS without a Session, by what the host allows. OPC 10000-6 §7.4.2. */
export class HttpsUsers implements SessionlessUsers {
  readonly #settings: SessionlessSettings;
  readonly #allowAnonymous: boolean;
  readonly #sessions: SessionManager;
  readonly #ended: (session: SessionContext) => void;

  /** @param allowAnonymous as for Sessions. */
  constructor(settings: SessionlessSettings, allowAnonymous: boolean, sessions: SessionManager, ended: (session: SessionContext) => void) {
    this.#settings = settings;
    this.#allowAnonymous = settings.allowAnonymous ?? allowAnonymous;
    this.#sessions = sessions;
    this.#ended = ended;
  }

  async identify(
    authorization: Authorization,
    clientCertificate: Buffer | undefined,
    channel: SecureChannelContext,
  ): Promise<UserIdentity | undefined> {
    const { validateBearer, validateClientCertificate } = this.#settings;
    switch (authorization.kind) {
      case 'basic':
        return this.#sessions.checkPassword(authorization.userName, authorization.password, channel);
      case 'bearer':
        return asIdentity(await validateBearer?.(authorization.token), UserTokenType.IssuedToken, 'bearer');
      case 'none': {
        const answer = clientCertificate === undefined ? undefined : await validateClientCertificate?.(clientCertificate);
        const identity = asIdentity(answer, UserTokenType.Certificate, 'certificate');
        return identity ?? (this.#allowAnonymous ? ANONYMOUS_IDENTITY : undefined);
      }
      default:
        return undefined;
    }
  }

  ended(session: SessionContext): void {
    this.#ended(session);
  }
}
