import type { ResourceIsolationOptions, ServerRateLimitOptions } from '@bulkhead/opcua';
import { ResourceIsolationOptionsError, resourceIsolationFromConfiguration } from '@bulkhead/resource-isolation';
import { z } from 'zod';

/** What a configuration file says below `OpcUa:Server`. */
export interface ServerSection {
  readonly resourceIsolation?: ResourceIsolationOptions;
  readonly rateLimits?: ServerRateLimitOptions;
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

const SECTION = 'OpcUa:Server';
const RATE_LIMITS_SECTION = `${SECTION}:RateLimits`;

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
  const { rateLimits } = onlyKeys(SECTION, server, ['resourceIsolation', 'rateLimits']);
  const resourceIsolation = resourceIsolationFromConfiguration(json);
  return {
    section: {
      ...(resourceIsolation === undefined ? {} : { resourceIsolation }),
      ...(rateLimits === undefined ? {} : { rateLimits: parseRateLimits(rateLimits) }),
    },
    rest,
  };
}

function parseRateLimits(json: unknown): ServerRateLimitOptions {
  const result = rateLimitsSchema.safeParse(onlyKeys(RATE_LIMITS_SECTION, json, Object.keys(rateLimitsSchema.shape)));
  if (result.success) return result.data as ServerRateLimitOptions;
  const [issue] = result.error.issues;
  throw new Error(`${[RATE_LIMITS_SECTION, ...(issue?.path ?? [])].join(':')}: ${issue?.message}`);
}

/** The entries by key in camelCase: none but these, each once. */
function onlyKeys(path: string, json: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new ResourceIsolationOptionsError(path, 'an object', json);
  const entries: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(json)) {
    const name = key.charAt(0).toLowerCase() + key.slice(1);
    if (!names.includes(name)) throw new Error(`${path}:${key}: no such option`);
    if (Object.hasOwn(entries, name)) throw new ResourceIsolationOptionsError(`${path}:${key}`, 'one spelling of the key', key);
    entries[name] = value;
  }
  return entries;
}
