import type { Runtime, SecureChannelContext, UserIdentity } from '@bulkhead/contracts';
import { signatureInput, verifySignature } from '@bulkhead/security';
import {
  type ActivateSessionRequest,
  type ActivateSessionResponse,
  type SignatureData,
  type StatusCode,
  StatusCodes,
  UaStatusError,
} from '@bulkhead/types';
import { leafOf } from './client-certificate.ts';
import { isClientOf, isSecuredAlike } from './returning-session.ts';
import type { Session } from './session.ts';
import { SERVER_NONCE_BYTES } from './session-creation.ts';
import { isSameUser, type UserAuthentication } from './user-authentication.ts';

/** Most locales of a client that are kept, and their length. */
const MAX_LOCALE_IDS = 16;
const MAX_LOCALE_ID_LENGTH = 64;

/** What `SessionActivation` works with. */
export interface SessionActivationParts {
  readonly runtime: Runtime;
  readonly users: UserAuthentication;
}

/** The ActivateSession service. OPC 10000-4 §5.7.3. */
export class SessionActivation {
  readonly #parts: SessionActivationParts;

  constructor(parts: SessionActivationParts) {
    this.#parts = parts;
  }

  /**
   * Activates `session`, gives it another user, or moves it to `channel`. When it fails, the Session stays as it was.
   * A nonce is good for one success; a client whose ActivateSession failed can try again with the same.
   */
  async activate(
    session: Session,
    request: ActivateSessionRequest,
    channel: SecureChannelContext,
  ): Promise<Omit<ActivateSessionResponse, 'responseHeader'>> {
    const { runtime, users } = this.#parts;
    session.pendingActivations++;
    try {
      const signedNonce = session.serverNonce;
      checkChannel(session, channel);
      checkClientSignature(session, request.clientSignature);
      const identity = await users.authenticate(request.userIdentityToken, session, channel, runtime.clock.nowMs());
      this.#checkStill(session, channel, identity, signedNonce);
      const serverNonce = runtime.random.bytes(SERVER_NONCE_BYTES);
      session.activate(channel, identity, localeIdsOf(request.localeIds), serverNonce, runtime.clock.nowMs());
      return { serverNonce, results: [], diagnosticInfos: [] };
    } finally {
      session.pendingActivations--;
    }
  }

  /** What may have changed while the user was looked up. */
  #checkStill(session: Session, channel: SecureChannelContext, identity: UserIdentity, signedNonce: Buffer): void {
    if (session.isClosed) throw failed(StatusCodes.BadSessionClosed, 'closed meanwhile');
    if (!channel.isOpen) throw failed(StatusCodes.BadSecureChannelClosed, 'channel closed meanwhile');
    if (session.serverNonce !== signedNonce) throw failed(StatusCodes.BadNonceInvalid, 'nonce used by another ActivateSession');
    if (session.isActivated && session.channel !== channel && !isSameUser(session.identity, identity)) {
      throw failed(StatusCodes.BadIdentityChangeNotSupported, 'another user on another channel');
    }
  }
}

/** A Session is first activated where it was created; later it may move to a channel of the same client, secured alike. */
function checkChannel(session: Session, channel: SecureChannelContext): void {
  if (session.channel === channel) return;
  if (!session.isActivated) throw failed(StatusCodes.BadSecureChannelIdInvalid, 'first activation on another channel');
  if (!isSecuredAlike(session.channel, channel)) throw failed(StatusCodes.BadSecurityChecksFailed, 'the new channel is secured otherwise');
  if (!isClientOf(session, channel)) throw failed(StatusCodes.BadSecurityChecksFailed, 'the new channel has another client certificate');
}

/** @throws UaStatusError BadApplicationSignatureInvalid. */
function checkClientSignature(session: Session, signature: SignatureData): void {
  const { clientCertificate, credentials, policy } = session.seed;
  if (clientCertificate === undefined || credentials === undefined) return;
  const chain = credentials.certificateChain;
  const leaf = leafOf(chain);
  const isValid =
    verifySignature(policy, clientCertificate, signatureInput(leaf, session.serverNonce), signature) ||
    // Clients from before v1.04 sign the whole chain.
    (leaf.length !== chain.length && verifySignature(policy, clientCertificate, signatureInput(chain, session.serverNonce), signature));
  if (!isValid) throw failed(StatusCodes.BadApplicationSignatureInvalid, 'wrong client signature');
}

/** Undefined when the client names none: the Session keeps what it has. */
function localeIdsOf(localeIds: ActivateSessionRequest['localeIds']): readonly string[] | undefined {
  if (localeIds === null || localeIds.length === 0) return undefined;
  return localeIds.filter((id): id is string => id !== null && id.length <= MAX_LOCALE_ID_LENGTH).slice(0, MAX_LOCALE_IDS);
}

function failed(code: StatusCode, message: string): UaStatusError {
  return new UaStatusError(code, message);
}
