import { StatusCodes, UaStatusError } from '@bulkhead/types';

/** Tags of the ASN.1 types that certificates and revocation lists are made of. */
export const DerTag = {
  Boolean: 0x01,
  Integer: 0x02,
  BitString: 0x03,
  OctetString: 0x04,
  ObjectIdentifier: 0x06,
  Utf8String: 0x0c,
  UtcTime: 0x17,
  GeneralizedTime: 0x18,
  UniversalString: 0x1c,
  BmpString: 0x1e,
  Sequence: 0x30,
  Set: 0x31,
} as const;

/** One ASN.1 element: where it lies in the bytes it was read from. */
export interface DerElement {
  readonly tag: number;
  /** Offset of the tag. */
  readonly start: number;
  /** Offset of the first content byte. */
  readonly contentStart: number;
  /** Offset behind the element. */
  readonly end: number;
}

const MAX_OID_BYTES = 32;

/**
 * Reads DER elements one after the other: definite, minimal lengths and one-byte tags only. It copies nothing and doesn't recurse.
 * Every error is a UaStatusError `BadCertificateInvalid`.
 */
export class DerReader {
  readonly bytes: Buffer;
  readonly #end: number;
  #offset: number;

  constructor(bytes: Buffer, start = 0, end: number = bytes.length) {
    this.bytes = bytes;
    this.#offset = start;
    this.#end = end;
  }

  /** True when nothing is left. */
  get done(): boolean {
    return this.#offset >= this.#end;
  }

  /** The tag of the next element, or -1 at the end. */
  peekTag(): number {
    return this.done ? -1 : (this.bytes[this.#offset] as number);
  }

  /** The next element, whatever it is. */
  next(): DerElement {
    const element = readElement(this.bytes, this.#offset, this.#end);
    this.#offset = element.end;
    return element;
  }

  /** The next element, which must have this tag. */
  expect(tag: number): DerElement {
    const element = this.next();
    if (element.tag !== tag) throw malformed(`tag 0x${element.tag.toString(16)} where 0x${tag.toString(16)} belongs`);
    return element;
  }

  /** The next element if it has this tag. */
  optional(tag: number): DerElement | undefined {
    return this.peekTag() === tag ? this.next() : undefined;
  }

  /** A reader of the content of the next element, which must have this tag. */
  enter(tag: number): DerReader {
    return this.inside(this.expect(tag));
  }

  /** A reader of an element's content. */
  inside(element: DerElement): DerReader {
    return new DerReader(this.bytes, element.contentStart, element.end);
  }

  /** The content of an element, not copied. */
  content(element: DerElement): Buffer {
    return this.bytes.subarray(element.contentStart, element.end);
  }

  /** The whole element with tag and length, not copied. */
  raw(element: DerElement): Buffer {
    return this.bytes.subarray(element.start, element.end);
  }

  /** The content of the next element, an INTEGER, not copied; never empty, always minimal. */
  integer(): Buffer {
    const content = this.content(this.expect(DerTag.Integer));
    const [first, second] = content;
    if (first === undefined) throw malformed('empty INTEGER');
    const isPadded = second !== undefined && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80));
    if (isPadded) throw malformed('INTEGER not minimal');
    return content;
  }

  /** The next element, an OBJECT IDENTIFIER, as hex digits of its content. */
  oid(): string {
    const content = this.content(this.expect(DerTag.ObjectIdentifier));
    if (content.length === 0 || content.length > MAX_OID_BYTES || ((content.at(-1) as number) & 0x80) !== 0)
      throw malformed('bad OBJECT IDENTIFIER');
    return content.toString('hex');
  }

  /** The next element, a BIT STRING without unused bits, not copied. */
  bitStringBytes(): Buffer {
    const content = this.content(this.expect(DerTag.BitString));
    if (content.length === 0 || content[0] !== 0) throw malformed('bad BIT STRING');
    return content.subarray(1);
  }

  /** @throws UaStatusError `BadCertificateInvalid` if something is left. */
  expectEnd(): void {
    if (!this.done) throw malformed('bytes behind the last element');
  }
}

/** The element at `offset`, whose bytes must end at or before `limit`. */
export function readElement(bytes: Buffer, offset: number, limit: number): DerElement {
  if (offset + 2 > limit) throw malformed('element cut off');
  const tag = bytes[offset] as number;
  if ((tag & 0x1f) === 0x1f) throw malformed('multi-byte tag');
  const first = bytes[offset + 1] as number;
  if (first < 0x80) return checked(tag, offset, offset + 2, first, limit);
  const lengthBytes = first & 0x7f;
  if (lengthBytes === 0 || lengthBytes > 4 || offset + 2 + lengthBytes > limit) throw malformed('bad length');
  const length = bytes.readUIntBE(offset + 2, lengthBytes);
  const isMinimal = lengthBytes === 1 ? length >= 0x80 : length >= 2 ** (8 * (lengthBytes - 1));
  if (!isMinimal) throw malformed('length not minimal');
  return checked(tag, offset, offset + 2 + lengthBytes, length, limit);
}

function checked(tag: number, start: number, contentStart: number, length: number, limit: number): DerElement {
  if (length > limit - contentStart) throw malformed('element longer than what holds it');
  return { tag, start, contentStart, end: contentStart + length };
}

/** The error for bytes that are no certificate, key or revocation list. */
export function malformed(message: string): UaStatusError {
  return new UaStatusError(StatusCodes.BadCertificateInvalid, message);
}
