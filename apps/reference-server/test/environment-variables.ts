import { vi } from 'vitest';

/** Hides what the variables of whoever runs the tests would configure; `vi.unstubAllEnvs` brings them back. */
export function hideOwnVariables(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('BULKHEAD_')) vi.stubEnv(name, undefined);
}
