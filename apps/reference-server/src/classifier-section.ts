import {
  AddressRangeClassifier,
  ApplicationClassifier,
  type CallerIdentity,
  FirstMatchClassifier,
  type ResourceIsolationClassifier,
  ResourceIsolationOptionsError,
  UserClassifier,
} from '@bulkhead/resource-isolation';
import type { z } from 'zod';
import type { classifierRule } from './configuration/isolation-members.ts';
import { roleIds } from './roles.ts';

export type ClassifierRule = z.output<typeof classifierRule>;

/** Kinds of evidence; a rule goes by one of them. */
const kinds: Readonly<Record<string, readonly (keyof ClassifierRule)[]>> = {
  address: ['addressRanges'],
  application: ['applicationUris', 'thumbprints'],
  user: ['users', 'roles'],
};

/**
 * Makes the classifier of the list `classifiers`: its rules are asked in order, the first that knows a caller counts.
 * @param trustedOwners keys that rules of class Trusted may name.
 * @param spell a path in the configuration as the user has written it.
 * @throws Error that names the path and what is wrong.
 */
export function createClassifier(
  rules: readonly ClassifierRule[],
  trustedOwners: readonly string[],
  spell: (path: readonly PropertyKey[]) => string,
): ResourceIsolationClassifier {
  return new FirstMatchClassifier(
    rules.map((rule, at) => classifierOf(rule, trustedOwners, (name) => spell(['classifiers', at, ...name]))),
  );
}

function classifierOf(
  rule: ClassifierRule,
  trustedOwners: readonly string[],
  spell: (path: readonly PropertyKey[]) => string,
): ResourceIsolationClassifier {
  const { key, ownerClass = 'Shared' } = rule;
  if (ownerClass === 'Trusted' && !trustedOwners.includes(key)) {
    throw new ResourceIsolationOptionsError(spell(['key']), 'the key of one of resourceIsolation.trustedOwners', key);
  }
  const [kind, ...others] = Object.keys(kinds).filter((name) => kinds[name]?.some((field) => rule[field] !== undefined));
  if (kind === undefined || others.length > 0) {
    throw new ResourceIsolationOptionsError(
      spell([]),
      'addressRanges, or applicationUris or thumbprints, or users or roles',
      Object.keys(rule),
    );
  }
  try {
    return create(rule, { key, ownerClass });
  } catch (error) {
    throw new Error(`${spell([])}: ${(error as Error).message}`, { cause: error });
  }
}

function create(rule: ClassifierRule, identity: CallerIdentity): ResourceIsolationClassifier {
  const { addressRanges, applicationUris, thumbprints, users = [], roles = [] } = rule;
  if (addressRanges !== undefined) return new AddressRangeClassifier([{ ranges: addressRanges, identity }]);
  if (applicationUris !== undefined || thumbprints !== undefined) {
    return new ApplicationClassifier([{ uris: applicationUris ?? [], thumbprints: thumbprints ?? [], identity }]);
  }
  return new UserClassifier([{ userNames: users, roles: roles.map((name) => `i=${roleIds[name]}`), identity }]);
}
