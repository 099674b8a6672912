/** A text and its locale. OPC 10000-3 §8.5. */
export class LocalizedText {
  /** RFC 5646 tag such as `en-US`; null or empty when unknown. */
  readonly locale: string | null;
  readonly text: string | null;

  constructor(text: string | null, locale: string | null = null) {
    this.text = text;
    this.locale = locale;
  }

  static readonly NULL: LocalizedText = new LocalizedText(null);

  equals(other: LocalizedText): boolean {
    return this.text === other.text && this.locale === other.locale;
  }

  toString(): string {
    return this.text ?? '';
  }
}
