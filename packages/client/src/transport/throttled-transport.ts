import type { ByteTransportEvents } from '@bulkhead/contracts';
import type { ConnectionThrottle } from '@bulkhead/limits';
import { ThrottledByteTransport, type ThrottleRuntime } from '@bulkhead/transport';
import type { ClientTransport } from './client-transport.ts';

/** A client's transport held to a bandwidth, each way. */
export class ThrottledTransport extends ThrottledByteTransport implements ClientTransport {
  readonly #transport: ClientTransport;

  constructor(transport: ClientTransport, throttle: ConnectionThrottle, runtime: ThrottleRuntime) {
    super(transport, throttle, runtime);
    this.#transport = transport;
  }

  start(events: ByteTransportEvents): void {
    this.drivenBy(events);
    this.#transport.start(this);
  }
}
