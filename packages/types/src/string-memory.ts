/** Strings remembered; a power of two. With at most 24 letters each that is some 200 KiB. */
const SLOTS = 4096;

/**
 * Remembers short ASCII strings by their bytes: those that come again, such as identifiers, need not be made anew, and the
 * same object is quick to find in Maps. Newer strings push older ones out.
 */
export class StringMemory {
  readonly #slots: (string | undefined)[] = new Array<string | undefined>(SLOTS).fill(undefined);

  /** The slot of these bytes; valid for the next `at` and `put`. */
  slotOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = end - start;
    for (let at = start; at < end; at++) hash = (hash * 31 + (bytes[at] as number)) | 0;
    return (hash ^ (hash >>> 15)) & (SLOTS - 1);
  }

  /** The remembered string when it is exactly these bytes. */
  get(slot: number, bytes: Uint8Array, start: number, end: number): string | undefined {
    const text = this.#slots[slot];
    if (text === undefined || text.length !== end - start) return undefined;
    for (let i = 0; i < text.length; i++) {
      const byte = bytes[start + i] as number;
      if (byte > 0x7f || text.charCodeAt(i) !== byte) return undefined;
    }
    return text;
  }

  put(slot: number, text: string): void {
    this.#slots[slot] = text;
  }
}
