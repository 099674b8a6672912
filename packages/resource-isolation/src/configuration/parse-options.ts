import { ResourceIsolationOptionsError } from '../options-error.ts';
import {
  isolationModes,
  type ResourceIsolationOptions,
  type TrustedOwnerOptions,
  type TrustedReservation,
  type UncheckedIsolationOptions,
  type UncheckedStageOptions,
} from '../plan/options.ts';
import { stageNames } from '../stage.ts';
import { JsonSection } from './json-section.ts';

/** Where a configuration file has the options. */
export const RESOURCE_ISOLATION_SECTION = 'OpcUa:Server:ResourceIsolation';

/**
 * Finds the section in a whole configuration file and reads it; keys as in `parseResourceIsolationOptions`.
 * @returns undefined when the file has no such section.
 */
export function resourceIsolationFromConfiguration(configuration: unknown): ResourceIsolationOptions | undefined {
  let json: unknown = configuration;
  let path = '';
  for (const key of RESOURCE_ISOLATION_SECTION.split(':')) {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      throw new ResourceIsolationOptionsError(path === '' ? 'configuration' : path, 'an object', json);
    }
    const spellings = [key, key.charAt(0).toLowerCase() + key.slice(1)].filter((spelling) => Object.hasOwn(json as object, spelling));
    path = path === '' ? key : `${path}:${key}`;
    if (spellings.length > 1) throw new ResourceIsolationOptionsError(path, 'one spelling of the key', spellings.join(', '));
    const [spelling] = spellings;
    if (spelling === undefined) return undefined;
    json = (json as Record<string, unknown>)[spelling];
  }
  return parseResourceIsolationOptions(json, path);
}

/**
 * Reads options from JSON. Keys may be in PascalCase or camelCase; HandshakeTimeout is ms or `hh:mm:ss`. What is unknown,
 * doubled or of another type is an error. Whether the options fit each other and the server is for `createRuntimePlan` to say.
 * @param path of the section, for errors.
 * @throws ResourceIsolationOptionsError naming the path.
 */
export function parseResourceIsolationOptions(json: unknown, path: string = RESOURCE_ISOLATION_SECTION): ResourceIsolationOptions {
  const section = new JsonSection(path, json);
  const options: UncheckedIsolationOptions = withoutUndefined({
    mode: section.oneOf('mode', isolationModes),
    maxTrackedOwners: section.integer('maxTrackedOwners'),
    maxOwnerKeyLength: section.integer('maxOwnerKeyLength'),
    defaultWeight: section.integer('defaultWeight'),
    handshakeTimeoutMs: handshakeTimeoutMs(section),
    maxRetainedMessageBytes: section.integer('maxRetainedMessageBytes'),
    bootstrapReservedBytes: section.integer('bootstrapReservedBytes'),
    reconnectReservedBytes: section.integer('reconnectReservedBytes'),
    ipv6PrefixLength: section.integer('ipv6PrefixLength'),
    shadowOwners: section.list('shadowOwners', parseText),
    stages: section.list('stages', parseStage),
    trustedOwners: section.list('trustedOwners', parseTrustedOwner),
  });
  section.end();
  return options as ResourceIsolationOptions;
}

function handshakeTimeoutMs(section: JsonSection): number | undefined {
  const duration = section.durationMs('handshakeTimeout');
  const plain = section.integer('handshakeTimeoutMs');
  if (duration === undefined) return plain;
  if (plain !== undefined) throw new ResourceIsolationOptionsError(section.pathOf('handshakeTimeoutMs'), 'HandshakeTimeout alone', plain);
  return duration;
}

function parseStage(json: unknown, path: string): UncheckedStageOptions {
  const section = new JsonSection(path, json);
  const stage = section.required('stage', section.oneOf('stage', stageNames));
  const limits = withoutUndefined({
    capacity: section.integer('capacity'),
    ownerHardLimit: section.integer('ownerHardLimit'),
    bootstrapReserved: section.integer('bootstrapReserved'),
    reconnectReserved: section.integer('reconnectReserved'),
    controlReserved: section.integer('controlReserved'),
    keptForIdleOwners: section.integer('keptForIdleOwners'),
    shadow: section.boolean('shadow'),
  });
  section.end();
  return { stage, ...limits };
}

function parseTrustedOwner(json: unknown, path: string): TrustedOwnerOptions {
  const section = new JsonSection(path, json);
  const key = section.required('key', section.string('key'));
  const rest = withoutUndefined({
    weight: section.integer('weight'),
    reservations: section.list('reservations', parseReservation),
    shadow: section.boolean('shadow'),
  });
  section.end();
  return { key, ...rest };
}

function parseReservation(json: unknown, path: string): TrustedReservation {
  const section = new JsonSection(path, json);
  const stage = section.required('stage', section.oneOf('stage', stageNames));
  const reserved = section.required('reserved', section.integer('reserved'));
  const rest = withoutUndefined({ hardLimit: section.integer('hardLimit') });
  section.end();
  return { stage, reserved, ...rest };
}

function parseText(json: unknown, path: string): string {
  if (typeof json === 'string') return json;
  throw new ResourceIsolationOptionsError(path, 'text', json);
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** What isn't given is left out, so that its default applies. */
function withoutUndefined<T extends object>(options: T): Defined<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Defined<T>;
}
