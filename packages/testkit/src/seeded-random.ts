import type { RandomSource } from '@bulkhead/contracts';

/** A repeatable stream of random numbers (xorshift128+ over 32-bit words). For tests only: nothing about it is secret. */
export class SeededRandom implements RandomSource {
  readonly seed: number;
  readonly #state: Uint32Array = new Uint32Array(4);

  constructor(seed: number) {
    this.seed = seed;
    let mixed = seed >>> 0;
    for (let i = 0; i < 4; i++) {
      mixed = (mixed + 0x9e3779b9) >>> 0;
      let word = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
      this.#state[i] = word ^ (word >>> 15);
    }
  }

  /** 0 … 4294967295. */
  nextUInt32(): number {
    const state = this.#state;
    let mixed = state[0] as number;
    const last = state[3] as number;
    mixed ^= mixed << 11;
    mixed ^= mixed >>> 8;
    state[0] = state[1] as number;
    state[1] = state[2] as number;
    state[2] = last;
    state[3] = last ^ (last >>> 19) ^ mixed;
    return state[3] as number;
  }

  /** 0 <= number < 1. */
  nextFloat(): number {
    return this.nextUInt32() / 0x1_0000_0000;
  }

  /** An integer, 0 <= number < `bound`. */
  nextInt(bound: number): number {
    return Math.floor(this.nextFloat() * bound);
  }

  nextBoolean(): boolean {
    return (this.nextUInt32() & 1) === 1;
  }

  /** One of the items. @throws RangeError without any. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[this.nextInt(items.length)] as T;
  }

  bytes(byteCount: number): Buffer {
    const bytes = Buffer.alloc(byteCount);
    for (let at = 0; at < byteCount; at++) bytes[at] = this.nextUInt32() >>> 24;
    return bytes;
  }
}
