import type { ByteRate } from '@bulkhead/limits';
import { OptionsError } from '../server-options.ts';
import { createConnectionThrottles } from './connection-throttles.ts';

/** Rates of one direction each; one that is missing is not limited. */
export interface DirectionRates {
  /** What peers send. */
  readonly read?: ByteRate;
  /** What the server sends. */
  readonly write?: ByteRate;
}

/** Bytes per second. Who is too fast is held back, never refused; all that are given hold together. */
export interface BandwidthOptions {
  /** Of each connection. */
  readonly perConnection?: DirectionRates;
  /** Of all connections of one caller, as far as callers are told apart before anything is authenticated. */
  readonly perOwner?: DirectionRates;
  /** Of all connections and both directions together. */
  readonly total?: ByteRate;
}

/** @throws OptionsError naming the rate that is wrong. */
export function checkBandwidth(bandwidth: BandwidthOptions | undefined): void {
  if (bandwidth === undefined) return;
  try {
    createConnectionThrottles(bandwidth);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OptionsError('bandwidth', `rates that can be kept (${error.message})`, bandwidth);
  }
}
