/** Numbers refusals; shared by providers that stand around each other, so that no id comes twice. */
export class RefusalIds {
  #last = 0;

  /** 1, 2, 3 … */
  next(): number {
    return ++this.#last;
  }
}
