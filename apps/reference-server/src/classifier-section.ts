import {
  AddressRangeClassifier,
  ApplicationClassifier,
  type CallerIdentity,
  FirstMatchClassifier,
  type ResourceIsolationClassifier,
  ResourceIsolationOptionsError,
  UserClassifier,
} from '@bulkhead/resource-isolation';
import { z } from 'zod';
import { type RoleName, roleIds, roleNames } from './roles.ts';
import { parseSection } from './section.ts';

const MAX_ENTRIES = 1000;
const MAX_KEY_LENGTH = 256;

const texts = z.array(z.string().min(1).max(4096)).min(1).max(MAX_ENTRIES).optional();

const ruleSchema = z.strictObject({
  key: z.string().min(1).max(MAX_KEY_LENGTH),
  ownerClass: z.enum(['Shared', 'Bootstrap', 'Reconnect', 'Control', 'Trusted']).default('Shared'),
  addressRanges: texts,
  applicationUris: texts,
  thumbprints: texts,
  users: texts,
  roles: z.array(z.enum(roleNames)).min(1).optional(),
});

type Rule = z.output<typeof ruleSchema>;

/** Kinds of evidence; a rule goes by one of them. */
const kinds: Readonly<Record<string, readonly (keyof Rule)[]>> = {
  address: ['addressRanges'],
  application: ['applicationUris', 'thumbprints'],
  user: ['users', 'roles'],
};

/**
 * Makes the classifier of the list `Classifiers`: its rules are asked in order, the first that knows a caller counts.
 * @param trustedOwners keys that rules of class Trusted may name.
 * @throws Error that names the path and what is wrong.
 */
export function parseClassifiers(path: string, json: unknown, trustedOwners: readonly string[]): ResourceIsolationClassifier {
  if (!Array.isArray(json) || json.length === 0 || json.length > MAX_ENTRIES) {
    throw new ResourceIsolationOptionsError(path, `a list of 1 to ${MAX_ENTRIES} rules`, json);
  }
  return new FirstMatchClassifier(json.map((entry, at) => classifierOf(`${path}:${at}`, entry, trustedOwners)));
}

function classifierOf(path: string, json: unknown, trustedOwners: readonly string[]): ResourceIsolationClassifier {
  const rule = parseSection(path, json, ruleSchema);
  const { key, ownerClass } = rule;
  if (ownerClass === 'Trusted' && !trustedOwners.includes(key)) {
    throw new ResourceIsolationOptionsError(`${path}:Key`, 'the key of one of ResourceIsolation:TrustedOwners', key);
  }
  const [kind, ...others] = Object.keys(kinds).filter((name) => kinds[name]?.some((field) => rule[field] !== undefined));
  if (kind === undefined || others.length > 0) {
    throw new ResourceIsolationOptionsError(
      path,
      'AddressRanges, or ApplicationUris or Thumbprints, or Users or Roles',
      Object.keys(json as object),
    );
  }
  try {
    return create(rule, { key, ownerClass });
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

function create(rule: Rule, identity: CallerIdentity): ResourceIsolationClassifier {
  const { addressRanges, applicationUris, thumbprints, users = [], roles = [] } = rule;
  if (addressRanges !== undefined) return new AddressRangeClassifier([{ ranges: addressRanges, identity }]);
  if (applicationUris !== undefined || thumbprints !== undefined) {
    return new ApplicationClassifier([{ uris: applicationUris ?? [], thumbprints: thumbprints ?? [], identity }]);
  }
  return new UserClassifier([{ userNames: users, roles: roles.map((name: RoleName) => `i=${roleIds[name]}`), identity }]);
}
