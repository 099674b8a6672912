import type { DecodedRequestStageName, StageName } from '../stage.ts';

/** How callers share a server. */
export type ResourceIsolationMode = 'SharedOnly' | 'FairShare' | 'Balanced' | 'TrustedReservations';

/** How resources are kept apart. What a mode can't reserve doesn't compile, and is refused when it comes from JSON. */
export type ResourceIsolationOptions = SharedOnlyOptions | FairShareOptions | BalancedOptions | TrustedReservationsOptions;

/** All callers share all limits. */
export interface SharedOnlyOptions extends UnreservedOptions {
  readonly mode: 'SharedOnly';
}

/** Turns by owner and limits per owner; nothing is reserved. */
export interface FairShareOptions extends UnreservedOptions {
  readonly mode: 'FairShare';
}

/** FairShare with reserves for starting up, for coming back and for control work. The default. */
export interface BalancedOptions extends ReservedOptions {
  readonly mode?: 'Balanced';
  readonly trustedOwners?: readonly [];
}

/** Balanced with a reserve and a weight per trusted owner. Needs a classifier that says who they are. */
export interface TrustedReservationsOptions extends ReservedOptions {
  readonly mode: 'TrustedReservations';
  /** At least one. */
  readonly trustedOwners: readonly TrustedOwnerOptions[];
}

/** Options of every mode. */
export interface IsolationBounds {
  /** Most owners with live charges at a time. Default 4,096. */
  readonly maxTrackedOwners?: number;
  /** Longest key of an owner, in UTF-16 units; addresses need up to 64. Default 256. */
  readonly maxOwnerKeyLength?: number;
  /** Turns per round of owners that have no weight of their own. Default 1. */
  readonly defaultWeight?: number;
  /** From the accepted connection to the open channel, ms; default and maximum 120,000. */
  readonly handshakeTimeoutMs?: number;
  /**
   * Most bytes that one unfinished message may keep alive. Default 4 × (maxMessageSize + maxBufferSize). Has to be a real upper
   * bound of what the transports retain: nothing here can check it.
   */
  readonly maxRetainedMessageBytes?: number;
  /** IPv6 addresses that agree in this many bits are one caller. Default 64. */
  readonly ipv6PrefixLength?: number;
  /** Owner keys whose owner limits only count what they would have refused. Default none. */
  readonly shadowOwners?: readonly string[];
}

interface UnreservedOptions extends IsolationBounds {
  readonly stages?: readonly UnreservedStageOptions[];
  readonly bootstrapReservedBytes?: 0;
  readonly reconnectReservedBytes?: 0;
  readonly trustedOwners?: readonly [];
}

interface ReservedOptions extends IsolationBounds {
  readonly stages?: readonly ReservedStageOptions[];
  /** ReassemblyBytes kept for starting up, at least one retained message, which is the default. */
  readonly bootstrapReservedBytes?: number;
  /** ReassemblyBytes kept for coming back and for channels with a Session, at least one retained message, which is the default. */
  readonly reconnectReservedBytes?: number;
}

/** Limits that every stage has in every mode. */
export interface StageLimitOptions {
  /** Total of the stage, reserves included. May only lower what follows from the server's limits. */
  readonly capacity?: number;
  /** Most that one owner may have at a time. Default: the stage's total. */
  readonly ownerHardLimit?: number;
  /** The limits that isolation adds here only count what they would have refused. Default false. */
  readonly shadow?: boolean;
}

/** A stage where nothing is reserved. */
export interface UnreservedStageOptions extends StageLimitOptions {
  readonly stage: StageName;
  readonly bootstrapReserved?: 0;
  readonly reconnectReserved?: 0;
  readonly controlReserved?: 0;
}

/** A stage with reserves; 0 gives one up. */
export type ReservedStageOptions = ConnectionStageOptions | RequestStageOptions | ExecutionStageOptions;

interface ClassReserveOptions extends StageLimitOptions {
  /** Default: one operation or one message. */
  readonly bootstrapReserved?: number;
  /** Default: one operation or one message. */
  readonly reconnectReserved?: number;
}

/** A stage before requests are decoded: no reserve for control work. */
export interface ConnectionStageOptions extends ClassReserveOptions {
  readonly stage: Exclude<StageName, DecodedRequestStageName>;
  readonly controlReserved?: 0;
}

/** A stage of decoded requests. */
export interface RequestStageOptions extends ClassReserveOptions {
  readonly stage: Exclude<DecodedRequestStageName, 'RequestExecution'>;
  /** Default: one operation or one message. */
  readonly controlReserved?: number;
}

/** Requests that run. */
export interface ExecutionStageOptions extends ClassReserveOptions {
  readonly stage: 'RequestExecution';
  /** Default: one operation. */
  readonly controlReserved?: number;
  /**
   * Slots of what is shared that only owners with nothing running may take, while there are several owners; the others wait
   * meanwhile. Default: an eighth of what is shared.
   */
  readonly keptForIdleOwners?: number;
}

/** A provisioned group of callers with reserves of its own. */
export interface TrustedOwnerOptions {
  /** The key that the classifier gives its callers. */
  readonly key: string;
  /** Turns per round. Default: `defaultWeight`. */
  readonly weight?: number;
  /** Stages not named reserve one operation or one message. */
  readonly reservations?: readonly TrustedReservation[];
  /** Its hard limits only count what they would have refused. Default false. */
  readonly shadow?: boolean;
}

/** What a trusted owner has at one stage. */
export interface TrustedReservation {
  readonly stage: StageName;
  /** Kept for this owner; 0 gives the guarantee up. */
  readonly reserved: number;
  /** Most it may have at a time. Default: the stage's `ownerHardLimit` if given, else its reserve and all that is shared. */
  readonly hardLimit?: number;
}

/** Any combination, as configuration files may have it. `createRuntimePlan` refuses those that no mode has. */
export interface UncheckedIsolationOptions extends IsolationBounds {
  readonly mode?: ResourceIsolationMode;
  readonly stages?: readonly UncheckedStageOptions[];
  readonly bootstrapReservedBytes?: number;
  readonly reconnectReservedBytes?: number;
  readonly trustedOwners?: readonly TrustedOwnerOptions[];
}

export interface UncheckedStageOptions extends StageLimitOptions {
  readonly stage: StageName;
  readonly bootstrapReserved?: number;
  readonly reconnectReserved?: number;
  readonly controlReserved?: number;
  readonly keptForIdleOwners?: number;
}

/** All modes, the least protection first. */
export const isolationModes: readonly ResourceIsolationMode[] = ['SharedOnly', 'FairShare', 'Balanced', 'TrustedReservations'];
