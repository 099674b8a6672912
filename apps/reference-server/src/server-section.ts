import type {
  RequestSchedulingOptions,
  ResourceIsolationClassifier,
  ResourceIsolationOptions,
  ServerRateLimitOptions,
} from '@bulkhead/opcua';
import { ResourceIsolationOptionsError, resourceIsolationFromConfiguration } from '@bulkhead/resource-isolation';
import { z } from 'zod';
import { parseClassifiers } from './classifier-section.ts';
import { onlyKeys, parseSection } from './section.ts';

/** What a configuration file says below `OpcUa:Server`. */
export interface ServerSection {
  readonly resourceIsolation?: ResourceIsolationOptions;
  readonly rateLimits?: ServerRateLimitOptions;
  readonly requestScheduling?: RequestSchedulingOptions;
  readonly decoupleHeldPublishRequests?: boolean;
  readonly classifier?: ResourceIsolationClassifier;
}

const rateLimitsSchema = z
  .strictObject({
    enabled: z.boolean(),
    listenBacklog: z.int().min(1),
    connectionRateLimitEnabled: z.boolean(),
    connectionsPerSecond: z.int().min(1),
    connectionBurst: z.int().min(1),
    sessionRateLimitEnabled: z.boolean(),
    maxConcurrentSessionEstablishment: z.int(),
    sessionEstablishmentQueueLimit: z.int().min(0),
  })
  .partial();

const schedulingSchema = z.strictObject({ useFairScheduling: z.boolean(), schedulingCost: z.enum(['turn', 'time']) }).partial();

const SECTION = 'OpcUa:Server';
const KEYS = ['resourceIsolation', 'rateLimits', 'requestScheduling', 'decoupleHeldPublishRequests', 'classifiers'] as const;

type Given = Readonly<Partial<Record<(typeof KEYS)[number], unknown>>>;

/**
 * Takes the section `OpcUa:Server` out of a configuration file. Its keys may be in PascalCase or camelCase.
 * @returns the section, and the file without it.
 * @throws Error that names the path and what is wrong.
 */
export function takeServerSection(json: unknown): { readonly section: ServerSection; readonly rest: unknown } {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { section: {}, rest: json };
  const { OpcUa, opcUa, ...rest } = json as Record<string, unknown>;
  if (OpcUa === undefined && opcUa === undefined) return { section: {}, rest };
  if (OpcUa !== undefined && opcUa !== undefined) throw new ResourceIsolationOptionsError('OpcUa', 'one spelling of the key', 'opcUa');
  const server = onlyKeys('OpcUa', OpcUa ?? opcUa, ['server'])['server'] ?? {};
  const given = onlyKeys(SECTION, server, KEYS);
  const resourceIsolation = resourceIsolationFromConfiguration(json);
  return { section: { ...(resourceIsolation === undefined ? {} : { resourceIsolation }), ...readOthers(given, resourceIsolation) }, rest };
}

function readOthers(given: Given, resourceIsolation: ResourceIsolationOptions | undefined): Omit<ServerSection, 'resourceIsolation'> {
  const { rateLimits, requestScheduling, decoupleHeldPublishRequests, classifiers } = given;
  if (decoupleHeldPublishRequests !== undefined && typeof decoupleHeldPublishRequests !== 'boolean') {
    throw new ResourceIsolationOptionsError(`${SECTION}:DecoupleHeldPublishRequests`, 'true or false', decoupleHeldPublishRequests);
  }
  // Options that aren't given are left out by the parser.
  return {
    ...(rateLimits === undefined
      ? {}
      : { rateLimits: parseSection(`${SECTION}:RateLimits`, rateLimits, rateLimitsSchema) as ServerRateLimitOptions }),
    ...(requestScheduling === undefined
      ? {}
      : {
          requestScheduling: parseSection(`${SECTION}:RequestScheduling`, requestScheduling, schedulingSchema) as RequestSchedulingOptions,
        }),
    ...(decoupleHeldPublishRequests === undefined ? {} : { decoupleHeldPublishRequests }),
    ...(classifiers === undefined ? {} : { classifier: readClassifiers(classifiers, resourceIsolation) }),
  };
}

function readClassifiers(json: unknown, isolation: ResourceIsolationOptions | undefined): ResourceIsolationClassifier {
  const path = `${SECTION}:Classifiers`;
  if (isolation?.mode === 'SharedOnly') throw new ResourceIsolationOptionsError(path, 'nothing, as mode SharedOnly has no classes,', json);
  const trustedOwners = isolation?.mode === 'TrustedReservations' ? isolation.trustedOwners.map(({ key }) => key) : [];
  return parseClassifiers(path, json, trustedOwners);
}
