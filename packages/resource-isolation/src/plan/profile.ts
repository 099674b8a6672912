import { checkInteger, ResourceIsolationOptionsError } from '../options-error.ts';
import { type StageName, stageNames } from '../stage.ts';
import { checkHandshakeTimeout } from './handshake-timeout.ts';
import {
  isolationModes,
  type ResourceIsolationMode,
  type TrustedOwnerOptions,
  type TrustedReservation,
  type UncheckedIsolationOptions,
  type UncheckedStageOptions,
} from './options.ts';

/** An option and where it stands. */
export interface Entry<Option> {
  readonly path: string;
  readonly option: Option;
}

/** A trusted owner, its reservations by stage. */
export interface TrustedOwnerEntry extends Entry<TrustedOwnerOptions> {
  readonly weight: number;
  readonly reservations: readonly (Entry<TrustedReservation> | undefined)[];
}

/** Options in an order that the plan can use: checked one by one, not yet against the server's limits. */
export interface Profile {
  readonly mode: ResourceIsolationMode;
  /** Whether Bootstrap, Reconnect and Control have reserves. */
  readonly hasClassReserves: boolean;
  readonly stages: readonly (Entry<UncheckedStageOptions> | undefined)[];
  readonly trustedOwners: readonly TrustedOwnerEntry[];
  readonly bootstrapReservedBytes: number | undefined;
  readonly reconnectReservedBytes: number | undefined;
  readonly maxRetainedMessageBytes: number | undefined;
  readonly maxTrackedOwners: number;
  readonly maxOwnerKeyLength: number;
  readonly defaultWeight: number;
  readonly handshakeTimeoutMs: number;
  readonly ipv6PrefixLength: number;
  readonly shadowOwners: readonly string[];
}

const DEFAULT_MAX_TRACKED_OWNERS = 4_096;
const DEFAULT_MAX_OWNER_KEY_LENGTH = 256;
const DEFAULT_IPV6_PREFIX_LENGTH = 64;

/** @throws ResourceIsolationOptionsError for a wrong or doubled entry, and for what the mode doesn't have. */
export function resolveProfile(options: UncheckedIsolationOptions): Profile {
  const { mode = 'Balanced', stages = [], maxRetainedMessageBytes: retained } = options;
  if (!isolationModes.includes(mode)) throw new ResourceIsolationOptionsError('mode', `one of ${isolationModes.join(', ')}`, mode);
  const maxOwnerKeyLength = checkInteger('maxOwnerKeyLength', options.maxOwnerKeyLength ?? DEFAULT_MAX_OWNER_KEY_LENGTH, 1);
  const defaultWeight = checkInteger('defaultWeight', options.defaultWeight ?? 1, 1);
  checkTopLevelReserves(mode, options);
  return {
    mode,
    hasClassReserves: mode === 'Balanced' || mode === 'TrustedReservations',
    stages: byStage(stages, 'stages'),
    trustedOwners: resolveTrustedOwners(mode, options.trustedOwners ?? [], maxOwnerKeyLength, defaultWeight),
    bootstrapReservedBytes: options.bootstrapReservedBytes,
    reconnectReservedBytes: options.reconnectReservedBytes,
    maxRetainedMessageBytes: retained === undefined ? undefined : checkInteger('maxRetainedMessageBytes', retained, 1),
    maxTrackedOwners: checkInteger('maxTrackedOwners', options.maxTrackedOwners ?? DEFAULT_MAX_TRACKED_OWNERS, 1),
    maxOwnerKeyLength,
    defaultWeight,
    handshakeTimeoutMs: checkHandshakeTimeout(options),
    ipv6PrefixLength: checkInteger('ipv6PrefixLength', options.ipv6PrefixLength ?? DEFAULT_IPV6_PREFIX_LENGTH, 1, 128),
    shadowOwners: (options.shadowOwners ?? []).map((key, at) => checkKey(`shadowOwners[${at}]`, key, maxOwnerKeyLength)),
  };
}

/** Modes without reserves take none, not even unused ones. */
function checkTopLevelReserves(mode: ResourceIsolationMode, options: UncheckedIsolationOptions): void {
  if (mode === 'Balanced' || mode === 'TrustedReservations') return;
  for (const name of ['bootstrapReservedBytes', 'reconnectReservedBytes'] as const) {
    const value = options[name];
    if (value !== undefined && value !== 0) throw new ResourceIsolationOptionsError(name, `no reserve in mode ${mode}`, value);
  }
}

function resolveTrustedOwners(
  mode: ResourceIsolationMode,
  owners: readonly TrustedOwnerOptions[],
  maxKeyLength: number,
  defaultWeight: number,
): TrustedOwnerEntry[] {
  const isWanted = mode === 'TrustedReservations';
  if (isWanted !== owners.length > 0) {
    const expected = isWanted ? 'at least one owner' : `none in mode ${mode}`;
    throw new ResourceIsolationOptionsError('trustedOwners', expected, `${owners.length} owners`);
  }
  const keys = new Set<string>();
  return owners.map((option, at) => {
    const path = `trustedOwners[${at}]`;
    const key = checkKey(`${path}.key`, option.key, maxKeyLength);
    if (keys.has(key)) throw new ResourceIsolationOptionsError(`${path}.key`, 'a key that no other owner has', key);
    keys.add(key);
    const weight = checkInteger(`${path}.weight`, option.weight ?? defaultWeight, 1);
    return { path, option, weight, reservations: byStage(option.reservations ?? [], `${path}.reservations`) };
  });
}

/** Sorts by stage number. */
function byStage<Option extends { readonly stage: string }>(options: readonly Option[], path: string): (Entry<Option> | undefined)[] {
  const entries: (Entry<Option> | undefined)[] = stageNames.map(() => undefined);
  options.forEach((option, at) => {
    const stagePath = `${path}[${at}].stage`;
    const stage = stageNames.indexOf(option.stage as StageName);
    if (stage < 0) throw new ResourceIsolationOptionsError(stagePath, `one of ${stageNames.join(', ')}`, option.stage);
    if (entries[stage] !== undefined) throw new ResourceIsolationOptionsError(stagePath, 'a stage that is named once', option.stage);
    entries[stage] = { path: `${path}[${at}]`, option };
  });
  return entries;
}

function checkKey(path: string, key: string, maxLength: number): string {
  if (typeof key === 'string' && key.length > 0 && key.length <= maxLength) return key;
  throw new ResourceIsolationOptionsError(path, `1..${maxLength} characters`, key);
}
