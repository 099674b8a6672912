import type { Lease, Owner, Refusal } from '@bulkhead/resource-isolation';
import type { RequestHeader } from '@bulkhead/types';
import type { SecureChannelContext } from './secure-channel-context.ts';

/** The services that establish a Session. */
export type EstablishingService = 'CreateSession' | 'ActivateSession';

/** Bounds how many CreateSession and ActivateSession requests are worked on at a time: each starts only with a place. */
export interface SessionGate {
  /** Places given and not yet given back. */
  readonly placesInUse: number;
  /**
   * Who is charged for the place, by what is known now.
   * @throws UaStatusError BadSessionIdInvalid for an ActivateSession without a Session.
   */
  ownerOf(service: EstablishingService, channel: SecureChannelContext, header: RequestHeader): Owner;
  /** @returns the place, to be disposed when the request is done, or why there is none. */
  enter(owner: Owner): Lease | Refusal;
  /** @param listener called after each place that is given back. */
  onPlaceFreed(listener: () => void): void;
}
