import { vi } from 'vitest';

/** Hides variables that other tests are told by; `vi.unstubAllEnvs` brings them back. */
export function hideOwnVariables(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('BULKHEAD_')) vi.stubEnv(name, undefined);
}
