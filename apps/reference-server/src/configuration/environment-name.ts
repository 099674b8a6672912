export const ENVIRONMENT_PREFIX = 'BULKHEAD_';

/** `limits.maxSessionCount` is `BULKHEAD_LIMITS__MAX_SESSION_COUNT` in the environment. */
export function environmentName(path: readonly string[]): string {
  return ENVIRONMENT_PREFIX + path.map((name) => name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/gu, '_').toUpperCase()).join('__');
}
