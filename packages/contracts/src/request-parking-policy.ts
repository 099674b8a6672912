import type { RequestHeader } from '@bulkhead/types';
import type { SecureChannelContext } from './secure-channel-context.ts';
import type { SessionContext } from './session-context.ts';

/** A request that a `RequestParkingPolicy` is asked about, before it is queued. */
export interface ParkingCandidate {
  /** Name of the service, such as `Call`. */
  readonly service: string;
  readonly channel: SecureChannelContext;
  readonly session: SessionContext | undefined;
  readonly header: RequestHeader;
  /**
   * Decodes the request, such as a `CallRequest`; look at `service` first, for this takes time.
   * @throws UaStatusError when it can't be decoded; it is not selected then.
   */
  readonly decode: () => unknown;
}

/** Selects requests of the host's own whose handlers may wait without an execution slot. Publish needs no policy. */
export interface RequestParkingPolicy {
  /**
   * Called for each request but Publish, so it should be quick. A selected request takes a ParkedRequest slot before it is
   * queued, whether or not it parks. Selection is no permission: the request is checked like any other. What throws selects nothing.
   */
  mayPark(candidate: ParkingCandidate): boolean;
}
