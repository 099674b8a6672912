import { checkInteger, ResourceIsolationOptionsError } from '../options-error.ts';
import { isDecodedRequestStage, Stage, stageNames } from '../stage.ts';
import type { Profile } from './profile.ts';

/** What is kept at one stage. */
export interface StageReserves {
  readonly bootstrap: number;
  readonly reconnect: number;
  readonly control: number;
  /** By trusted owner. */
  readonly trusted: readonly number[];
  /** All of it. */
  readonly sum: number;
}

/**
 * The reserves of a stage: what the options say, else one `unit` for each that the mode and the stage have.
 * @throws ResourceIsolationOptionsError for a reserve that the mode or the stage doesn't have, or that holds less than one unit.
 */
export function resolveReserves(stage: Stage, profile: Profile, unit: number): StageReserves {
  const bootstrap = classReserve('bootstrapReserved', stage, profile, unit);
  const reconnect = classReserve('reconnectReserved', stage, profile, unit);
  const control = classReserve('controlReserved', stage, profile, unit);
  const trusted = profile.trustedOwners.map(({ reservations }) => {
    const reservation = reservations[stage];
    return reservation === undefined ? unit : checkReserve(`${reservation.path}.reserved`, reservation.option.reserved, unit);
  });
  const sum = trusted.reduce((total, reserve) => total + reserve, bootstrap + reconnect + control);
  return { bootstrap, reconnect, control, trusted, sum };
}

type ClassReserveName = 'bootstrapReserved' | 'reconnectReserved' | 'controlReserved';

function classReserve(name: ClassReserveName, stage: Stage, profile: Profile, unit: number): number {
  const entry = profile.stages[stage];
  const given = entry?.option[name];
  const isThere = profile.hasClassReserves && (name !== 'controlReserved' || isDecodedRequestStage(stage));
  if (!isThere) {
    if (given === undefined || given === 0) return 0;
    const where = profile.hasClassReserves ? `at stage ${stageNames[stage]}` : `in mode ${profile.mode}`;
    throw new ResourceIsolationOptionsError(`${entry?.path}.${name}`, `no reserve ${where}`, given);
  }
  const common = stage === Stage.ReassemblyBytes ? commonReserve(name, profile, unit) : undefined;
  return given === undefined ? (common ?? unit) : checkReserve(`${entry?.path}.${name}`, given, unit);
}

/** The top-level byte reserves can't be given up: a stage's override does that. */
function commonReserve(name: ClassReserveName, profile: Profile, unit: number): number | undefined {
  if (name === 'controlReserved') return undefined;
  const common = name === 'bootstrapReserved' ? 'bootstrapReservedBytes' : 'reconnectReservedBytes';
  const given = profile[common];
  return given === undefined ? undefined : checkInteger(common, given, unit);
}

/** 0, or enough for one. */
function checkReserve(path: string, value: number, unit: number): number {
  if (Number.isSafeInteger(value) && (value === 0 || value >= unit)) return value;
  throw new ResourceIsolationOptionsError(path, `0 or an integer >= ${unit}`, value);
}
