import { IdentifierType, type NodeId, type NodeKey } from '@bulkhead/types';
import type { Session } from './session.ts';

/** Bytes of randomness in an authentication token. */
export const AUTHENTICATION_TOKEN_BYTES = 32;

/** All Sessions, by authentication token and by SessionId. */
export class SessionTable {
  readonly #byToken: Map<string, Session> = new Map();
  /** Kept here, so that nobody who gets hold of a Session can learn its token. */
  readonly #keys: Map<Session, string> = new Map();
  readonly #byId: Map<NodeKey, Session> = new Map();

  get size(): number {
    return this.#byToken.size;
  }

  /** In the order in which they were created. */
  values(): IterableIterator<Session> {
    return this.#byToken.values();
  }

  /** One look-up whatever the token is like: a guess takes as long as a hit, and tells nothing about tokens near it. */
  byToken(token: NodeId): Session | undefined {
    const key = tokenKey(token);
    return key === undefined ? undefined : this.#byToken.get(key);
  }

  bySessionId(sessionId: NodeId): Session | undefined {
    return this.#byId.get(sessionId.key);
  }

  add(session: Session, token: NodeId): void {
    const key = tokenKey(token);
    if (key === undefined) throw new RangeError('no authentication token');
    this.#byToken.set(key, session);
    this.#keys.set(session, key);
    this.#byId.set(session.sessionId.key, session);
  }

  /** @returns false when it isn't here. */
  remove(session: Session): boolean {
    const key = this.#keys.get(session);
    if (key === undefined) return false;
    this.#keys.delete(session);
    this.#byId.delete(session.sessionId.key);
    return this.#byToken.delete(key);
  }
}

/** Tokens are opaque NodeIds of namespace 0. */
function tokenKey(token: NodeId): string | undefined {
  if (token.identifierType !== IdentifierType.Opaque || token.namespaceIndex !== 0) return undefined;
  const bytes = token.identifier as Uint8Array;
  if (bytes.length !== AUTHENTICATION_TOKEN_BYTES) return undefined;
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString('latin1');
}
