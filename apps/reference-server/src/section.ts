import { ResourceIsolationOptionsError } from '@bulkhead/resource-isolation';
import type { z } from 'zod';

/**
 * Reads one object of the section `OpcUa`, whose keys may be in PascalCase or camelCase.
 * @throws Error that names the path and what is wrong.
 */
export function parseSection<Shape extends z.ZodRawShape>(
  path: string,
  json: unknown,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const result = schema.safeParse(onlyKeys(path, json, Object.keys(schema.shape)));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(`${[path, ...(issue?.path ?? [])].join(':')}: ${issue?.message}`);
}

/** The entries by key in camelCase: none but these, each once. */
export function onlyKeys(path: string, json: unknown, names: readonly string[]): Readonly<Record<string, unknown>> {
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
