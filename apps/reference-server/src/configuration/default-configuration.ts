import type { Configuration, ConfiguredUser } from '../configuration.ts';
import { securityPolicyNames } from './file-schema.ts';

/** For demonstrations: everybody who has the source knows these passwords. */
export const demonstrationUsers: readonly ConfiguredUser[] = [
  { name: 'operator', password: 'operator-password', roles: ['Operator'] },
  { name: 'observer', password: 'observer-password', roles: ['Observer'] },
];

export const defaultConfiguration: Configuration = {
  applicationName: 'Bulkhead Reference Server',
  host: '127.0.0.1',
  port: 4840,
  pki: './pki',
  autoAccept: false,
  allowAnonymous: true,
  securityPolicies: securityPolicyNames,
  users: demonstrationUsers,
  limits: {},
  logFormat: 'pretty',
  logLevel: 'info',
  benchTickMs: 0,
};
