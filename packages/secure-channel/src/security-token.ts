import type { SymmetricKeys } from '@bulkhead/security';
import { StatusCodes, UaStatusError } from '@bulkhead/types';

/** Messages under an expired token are accepted for another 25 % of its lifetime. OPC 10000-4 §5.6.2.1. */
const OVERLAP_FACTOR = 1.25;

/** One set of keys of a SecureChannel, or none with MessageSecurityMode None. */
export class SecurityToken {
  /** Unique within the channel; never 0. */
  readonly tokenId: number;
  readonly lifetimeMs: number;
  /** Monotonic ms at which no new message should be secured with it. */
  readonly expiresAtMs: number;
  /** Monotonic ms at which messages secured with it are refused. */
  readonly endsAtMs: number;
  /** What comes in; undefined with MessageSecurityMode None. */
  readonly receiveKeys: SymmetricKeys | undefined;
  /** What goes out; undefined with MessageSecurityMode None. */
  readonly sendKeys: SymmetricKeys | undefined;

  constructor(
    tokenId: number,
    createdAtMs: number,
    lifetimeMs: number,
    receiveKeys: SymmetricKeys | undefined,
    sendKeys: SymmetricKeys | undefined,
  ) {
    this.tokenId = tokenId;
    this.lifetimeMs = lifetimeMs;
    this.expiresAtMs = createdAtMs + lifetimeMs;
    this.endsAtMs = createdAtMs + lifetimeMs * OVERLAP_FACTOR;
    this.receiveKeys = receiveKeys;
    this.sendKeys = sendKeys;
  }
}

/**
 * The tokens of one channel: the newest, and the one before it while both may be in use. The older one is dropped when the
 * peer first uses the newer one. OPC 10000-4 §5.6.2.1, OPC 10000-6 §6.7.4.
 */
export class SecurityTokens {
  readonly #sendsNewestAtOnce: boolean;
  #older: SecurityToken | undefined = undefined;
  #newest: SecurityToken | undefined = undefined;

  /**
   * @param sendsNewestAtOnce true for a client, which uses a new token as soon as it has it; a server goes on with the older
   * one until that expires or the client has used the new one.
   */
  constructor(sendsNewestAtOnce: boolean) {
    this.#sendsNewestAtOnce = sendsNewestAtOnce;
  }

  get newest(): SecurityToken | undefined {
    return this.#newest;
  }

  add(token: SecurityToken): void {
    this.#older = this.#newest;
    this.#newest = token;
  }

  /**
   * The token of a received chunk. Call `confirm` once the chunk is verified.
   * @throws UaStatusError BadSecureChannelTokenUnknown when there is no such token (any more) or its time is over.
   */
  forReceived(tokenId: number, nowMs: number): SecurityToken {
    const token = this.#newest?.tokenId === tokenId ? this.#newest : this.#older;
    if (token?.tokenId !== tokenId) throw new UaStatusError(StatusCodes.BadSecureChannelTokenUnknown, `no token ${tokenId}`);
    if (nowMs >= token.endsAtMs) throw new UaStatusError(StatusCodes.BadSecureChannelTokenUnknown, `token ${tokenId} is expired`);
    return token;
  }

  /** A chunk under this token proved to be the peer's. */
  confirm(token: SecurityToken): void {
    if (token === this.#newest) this.#older = undefined;
  }

  /** The token for the next chunk that goes out. @throws UaStatusError BadSecureChannelClosed when there is none. */
  forSending(clock: { nowMs(): number }): SecurityToken {
    const { newest } = this;
    if (newest === undefined) throw new UaStatusError(StatusCodes.BadSecureChannelClosed, 'the channel has no token');
    const older = this.#older;
    if (older === undefined || this.#sendsNewestAtOnce || clock.nowMs() >= older.expiresAtMs) return newest;
    return older;
  }

  clear(): void {
    this.#older = undefined;
    this.#newest = undefined;
  }
}
