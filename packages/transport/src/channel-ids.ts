import type { RandomSource } from '@bulkhead/contracts';

const ID_COUNT = 2 ** 32;

/** Gives SecureChannelIds: never 0, unique among the live ones, from a start that can't be guessed. */
export class ChannelIds {
  readonly #live: Set<number> = new Set();
  #next: number;

  constructor(random: RandomSource) {
    this.#next = random.bytes(4).readUInt32LE(0);
  }

  allocate(): number {
    for (;;) {
      const id = this.#next;
      this.#next = (id + 1) % ID_COUNT;
      if (id === 0 || this.#live.has(id)) continue;
      this.#live.add(id);
      return id;
    }
  }

  release(id: number): void {
    this.#live.delete(id);
  }
}
