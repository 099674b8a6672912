import type { Logger } from '@bulkhead/contracts';
import { type StatusCode, StatusCodes, UaStatusError } from '@bulkhead/types';
import type { Node } from './node.ts';

/** Turns what a user's callback threw into a StatusCode. Whatever is no UaStatusError is logged: it is a mistake in the callback. */
export class CallbackErrors {
  readonly #log: Logger | undefined;

  constructor(log: Logger | undefined) {
    this.#log = log;
  }

  /** @param callback `read`, `write` or `call`. */
  toStatus(error: unknown, callback: string, node: Node): StatusCode {
    if (error instanceof UaStatusError) return error.statusCode;
    if (this.#log?.isEnabled('error')) {
      this.#log.log('error', `address-space.${callback}-callback-failed`, { node: node.nodeId.toString(), error });
    }
    return StatusCodes.BadInternalError;
  }

  /** A callback that answered too late, or gave something that can't be sent. */
  warn(event: string, node: Node, fields?: Readonly<Record<string, unknown>>): void {
    if (this.#log?.isEnabled('warn')) this.#log.log('warn', `address-space.${event}`, { node: node.nodeId.toString(), ...fields });
  }
}
