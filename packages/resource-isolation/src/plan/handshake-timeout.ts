import { checkInteger } from '../options-error.ts';

/** Default of `handshakeTimeoutMs`, and the most it may be. */
export const MAX_HANDSHAKE_TIMEOUT_MS = 120_000;

/**
 * The deadline for starting up, checked. To be called in every mode, with an own provider too, and again when a listener is made.
 * @returns ms, the default when none is given.
 * @throws ResourceIsolationOptionsError naming `handshakeTimeoutMs` unless it is an integer in 1..120,000.
 */
export function checkHandshakeTimeout(options: { readonly handshakeTimeoutMs?: number }): number {
  return checkInteger('handshakeTimeoutMs', options.handshakeTimeoutMs ?? MAX_HANDSHAKE_TIMEOUT_MS, 1, MAX_HANDSHAKE_TIMEOUT_MS);
}
