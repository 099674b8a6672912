import { ResourceIsolationOptionsError } from '../options-error.ts';
import type { CallerEvidence, CallerIdentity } from '../owner.ts';
import type { ResourceIsolationClassifier } from './classifier.ts';

/** Users that belong to `identity`: those named, and those with one of the roles. */
export interface UserRule {
  readonly userNames?: readonly string[];
  /** As evidence has them: role NodeIds as text. */
  readonly roles?: readonly string[];
  readonly identity: CallerIdentity;
}

/** Classifies by the authenticated user of an activated Session; the first rule that has the name or a role counts. */
export class UserClassifier implements ResourceIsolationClassifier {
  readonly #rules: readonly {
    readonly userNames: ReadonlySet<string>;
    readonly roles: readonly string[];
    readonly identity: CallerIdentity;
  }[];

  /** @throws ResourceIsolationOptionsError for a rule that matches nothing. */
  constructor(rules: readonly UserRule[]) {
    this.#rules = rules.map(({ userNames = [], roles = [], identity }, at) => {
      if (userNames.length + roles.length === 0)
        throw new ResourceIsolationOptionsError(`rules[${at}]`, 'a user name or a role', undefined);
      return { userNames: new Set(userNames), roles, identity };
    });
  }

  classify({ hasActivatedSession, userName, roles: held = [] }: CallerEvidence): CallerIdentity | undefined {
    if (!hasActivatedSession) return undefined;
    const rule = this.#rules.find(({ userNames, roles }) => {
      return (userName !== undefined && userNames.has(userName)) || roles.some((role) => held.includes(role));
    });
    return rule?.identity;
  }
}
