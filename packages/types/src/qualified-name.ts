import { DecodingError } from './ua-status-error.ts';

/** A name with the namespace it comes from. OPC 10000-3 §8.3. */
export class QualifiedName {
  readonly namespaceIndex: number;
  readonly name: string | null;

  constructor(namespaceIndex: number, name: string | null) {
    this.namespaceIndex = namespaceIndex;
    this.name = name;
  }

  static readonly NULL: QualifiedName = new QualifiedName(0, null);

  /**
   * Reads `<index>:<name>` or `<name>` (namespace 0). OPC 10000-6 §5.3.1.14.
   * @throws DecodingError when the index is above 65535.
   */
  static parse(text: string): QualifiedName {
    const match = /^(\d{1,5}):(.*)$/su.exec(text);
    if (!match) return new QualifiedName(0, text);
    const namespaceIndex = Number(match[1]);
    if (namespaceIndex > 0xffff) throw DecodingError.malformed('QualifiedName namespace index > 65535');
    return new QualifiedName(namespaceIndex, match[2] ?? '');
  }

  get isNull(): boolean {
    return this.namespaceIndex === 0 && (this.name === null || this.name === '');
  }

  equals(other: QualifiedName): boolean {
    return this.namespaceIndex === other.namespaceIndex && this.name === other.name;
  }

  toString(): string {
    return this.namespaceIndex === 0 ? (this.name ?? '') : `${this.namespaceIndex}:${this.name ?? ''}`;
  }
}
