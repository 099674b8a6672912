import { defaultEncodingLimits, type EncodingLimits } from '../encoding-limits.ts';
import { DecodingError } from '../ua-status-error.ts';

/** More steps than this are cut out of the middle of a path. */
const MAX_STEPS_SHOWN = 12;

/** Where a decoder stands in a JSON value, for its errors, and how deep. */
export class JsonPath {
  readonly limits: EncodingLimits;
  readonly #steps: (string | number)[] = [];
  #nestingLevel = 0;

  constructor(limits: EncodingLimits = defaultEncodingLimits) {
    this.limits = limits;
  }

  /** @param step a member's name in the specification, or an index. */
  push(step: string | number): void {
    this.#steps.push(step);
  }

  pop(): void {
    this.#steps.pop();
  }

  /** @throws DecodingError BadEncodingLimitsExceeded beyond `maxNestingLevel`. */
  enterNestingLevel(): void {
    this.#nestingLevel++;
    if (this.#nestingLevel > this.limits.maxNestingLevel) throw this.limitExceeded('nested too deeply');
  }

  exitNestingLevel(): void {
    this.#nestingLevel--;
  }

  /** BadDecodingError at this place. */
  malformed(problem: string): DecodingError {
    return DecodingError.malformed(`${this.toString()}: ${problem}`);
  }

  /** BadEncodingLimitsExceeded at this place. */
  limitExceeded(problem: string): DecodingError {
    return DecodingError.limitExceeded(`${this.toString()}: ${problem}`);
  }

  /** Such as `$.NodesToRead[3].NodeId`. */
  toString(): string {
    const steps = this.#steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step.slice(0, 80)}`));
    if (steps.length > MAX_STEPS_SHOWN) steps.splice(MAX_STEPS_SHOWN / 2, steps.length - MAX_STEPS_SHOWN, '…');
    return `$${steps.join('')}`;
  }
}
