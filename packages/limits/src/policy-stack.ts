import type { Decision, Guard, Policy, Retry } from './policy.ts';

/**
 * Several policies on one input, outermost first. Each is passed once; an inner one that says retry does not charge the outer ones
 * again, and holds what they granted meanwhile. An inner one that refuses gives it back, except for tokens of a rate, which counts
 * attempts.
 *
 * Put a rate outside a concurrency limit, whatever its mode: `new PolicyStack([rate, concurrency])`. Outside, an aborting rate
 * refuses before a slot is taken, and a waiting rate paces before a slot is taken. Inside, inputs that wait hold slots.
 */
export class PolicyStack<in Input> implements Policy<Input> {
  readonly #policies: readonly Policy<Input>[];

  constructor(policies: readonly Policy<Input>[]) {
    this.#policies = [...policies];
  }

  check(input: Input, nowMs: number): Decision {
    return new Passage(this.#policies, input).proceed(undefined, nowMs);
  }
}

/** One input on its way through the stack. */
class Passage<Input> implements Guard {
  readonly #policies: readonly Policy<Input>[];
  readonly #input: Input;
  readonly #guards: Guard[] = [];

  constructor(policies: readonly Policy<Input>[], input: Input) {
    this.#policies = policies;
    this.#input = input;
  }

  /** @param retry what the policy that is next answered before, if it was asked before. */
  proceed(retry: Retry | undefined, nowMs: number): Decision {
    let pending = retry;
    try {
      while (this.#guards.length < this.#policies.length) {
        const policy = this.#policies[this.#guards.length]!;
        const decision = pending === undefined ? policy.check(this.#input, nowMs) : pending.check(nowMs);
        if (decision.kind === 'retry') return new StackRetry(this, decision);
        if (decision.kind === 'abort') {
          this[Symbol.dispose]();
          return decision;
        }
        this.#guards.push(decision.guard);
        pending = undefined;
      }
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
    return { kind: 'ready', guard: this };
  }

  /** Newest first. */
  [Symbol.dispose](): void {
    for (let guard = this.#guards.pop(); guard !== undefined; guard = this.#guards.pop()) guard[Symbol.dispose]();
  }
}

class StackRetry<Input> implements Retry {
  readonly kind = 'retry';
  readonly atMs: number;
  #passage: Passage<Input> | undefined;
  readonly #inner: Retry;

  constructor(passage: Passage<Input>, inner: Retry) {
    this.atMs = inner.atMs;
    this.#passage = passage;
    this.#inner = inner;
  }

  /** @throws Error once it was spent: what it held has another owner by then. */
  check(nowMs: number): Decision {
    const passage = this.#passage;
    if (passage === undefined) throw new Error('this retry was used already');
    if (nowMs < this.atMs) return this;
    this.#passage = undefined;
    return passage.proceed(this.#inner, nowMs);
  }

  [Symbol.dispose](): void {
    if (this.#passage === undefined) return;
    this.#inner[Symbol.dispose]();
    this.#passage[Symbol.dispose]();
    this.#passage = undefined;
  }
}
