import { type Decision, type Policy, UNLIMITED } from './policy.ts';

/** Turns a policy off by leaving it out: `optional(config.rate && new RatePolicy(config.rate))`. */
export function optional<Input>(policy: Policy<Input> | undefined): Policy<Input> {
  return policy ?? UNLIMITED;
}

/** One of two policies, chosen for each input. */
export function either<Input>(isFirst: (input: Input) => boolean, first: Policy<Input>, second: Policy<Input>): Policy<Input> {
  return { check: (input, nowMs) => (isFirst(input) ? first : second).check(input, nowMs) };
}

/** A policy for the inputs that `matches` says yes to. */
export interface PolicyRule<in Input> {
  readonly matches: (input: Input) => boolean;
  readonly policy: Policy<Input>;
}

/** Per route, per source, per anything: the first rule that matches decides alone. */
export class PolicyMap<in Input> implements Policy<Input> {
  readonly #rules: readonly PolicyRule<Input>[];
  readonly #otherwise: Policy<Input>;

  /** @param otherwise for inputs that no rule matches; everything passes if left out. */
  constructor(rules: readonly PolicyRule<Input>[], otherwise: Policy<Input> = UNLIMITED) {
    this.#rules = [...rules];
    this.#otherwise = otherwise;
  }

  check(input: Input, nowMs: number): Decision {
    for (const rule of this.#rules) {
      if (rule.matches(input)) return rule.policy.check(input, nowMs);
    }
    return this.#otherwise.check(input, nowMs);
  }
}
