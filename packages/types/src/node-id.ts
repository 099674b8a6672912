import { formatBase64, parseBase64 } from './base64.ts';
import { isGuid } from './guid.ts';
import { DecodingError } from './ua-status-error.ts';

/** Kinds of identifier in a NodeId. OPC 10000-3 §8.2.3. */
export const IdentifierType: { readonly Numeric: 0; readonly String: 1; readonly Guid: 2; readonly Opaque: 3 } = {
  Numeric: 0,
  String: 1,
  Guid: 2,
  Opaque: 3,
};
export type IdentifierType = (typeof IdentifierType)[keyof typeof IdentifierType];

/** A key for Maps: a number for numeric ids, else a string. */
export type NodeKey = number | string;

/** Identifies a node within one server. Immutable. OPC 10000-3 §8.2, OPC 10000-6 §5.2.2.9. */
export class NodeId {
  /** Index into the server's NamespaceArray, 0…65535. */
  readonly namespaceIndex: number;
  readonly identifierType: IdentifierType;
  /** A UInt32, a string, a GUID in its 36-character lower-case form, or bytes, as `identifierType` says. */
  readonly identifier: number | string | Uint8Array;

  private constructor(namespaceIndex: number, identifierType: IdentifierType, identifier: number | string | Uint8Array) {
    this.namespaceIndex = namespaceIndex;
    this.identifierType = identifierType;
    this.identifier = identifier;
  }

  /** The null NodeId, `i=0`. */
  static readonly NULL: NodeId = new NodeId(0, IdentifierType.Numeric, 0);

  static numeric(namespaceIndex: number, identifier: number): NodeId {
    return new NodeId(namespaceIndex, IdentifierType.Numeric, identifier);
  }

  static string(namespaceIndex: number, identifier: string): NodeId {
    return new NodeId(namespaceIndex, IdentifierType.String, identifier);
  }

  /** @param identifier a GUID in its 36-character form, in any case. */
  static guid(namespaceIndex: number, identifier: string): NodeId {
    return new NodeId(namespaceIndex, IdentifierType.Guid, identifier.toLowerCase());
  }

  static opaque(namespaceIndex: number, identifier: Uint8Array): NodeId {
    return new NodeId(namespaceIndex, IdentifierType.Opaque, identifier);
  }

  /**
   * Reads the text form `ns=<n>;<i|s|g|b>=<value>` of OPC 10000-6 §5.3.1.10.
   * @throws DecodingError when the text is no NodeId.
   */
  static parse(text: string): NodeId {
    const match = /^(?:ns=(\d{1,5});)?([isgb])=(.*)$/su.exec(text);
    if (!match) throw DecodingError.malformed(`not a NodeId: ${text.slice(0, 80)}`);
    const namespaceIndex = Number(match[1] ?? 0);
    const value = match[3] ?? '';
    if (namespaceIndex > 0xffff) throw DecodingError.malformed('NodeId namespace index > 65535');
    switch (match[2]) {
      case 'i': {
        if (!/^\d{1,10}$/u.test(value) || Number(value) > 0xffffffff) throw DecodingError.malformed('NodeId numeric identifier');
        return NodeId.numeric(namespaceIndex, Number(value));
      }
      case 's':
        return NodeId.string(namespaceIndex, value);
      case 'g':
        if (!isGuid(value)) throw DecodingError.malformed('NodeId GUID identifier');
        return NodeId.guid(namespaceIndex, value);
      default:
        return NodeId.opaque(namespaceIndex, parseBase64(value));
    }
  }

  /** True for every form of the null NodeId: namespace 0 and an identifier of 0, "", all zeros or no bytes. */
  get isNull(): boolean {
    if (this.namespaceIndex !== 0) return false;
    switch (this.identifierType) {
      case IdentifierType.Numeric:
        return this.identifier === 0;
      case IdentifierType.Guid:
        return this.identifier === '00000000-0000-0000-0000-000000000000';
      default:
        return (this.identifier as string | Uint8Array).length === 0;
    }
  }

  /** A key that is equal exactly for equal NodeIds. */
  get key(): NodeKey {
    return this.identifierType === IdentifierType.Numeric
      ? this.namespaceIndex * 0x100000000 + (this.identifier as number)
      : this.toString();
  }

  equals(other: NodeId): boolean {
    if (this === other) return true;
    if (this.namespaceIndex !== other.namespaceIndex || this.identifierType !== other.identifierType) return false;
    if (this.identifierType === IdentifierType.Opaque) {
      return Buffer.compare(this.identifier as Uint8Array, other.identifier as Uint8Array) === 0;
    }
    return this.identifier === other.identifier;
  }

  /** The text form; `ns=` is left out for namespace 0. */
  toString(): string {
    const prefix = this.namespaceIndex === 0 ? '' : `ns=${this.namespaceIndex};`;
    switch (this.identifierType) {
      case IdentifierType.Numeric:
        return `${prefix}i=${this.identifier as number}`;
      case IdentifierType.String:
        return `${prefix}s=${this.identifier as string}`;
      case IdentifierType.Guid:
        return `${prefix}g=${this.identifier as string}`;
      default:
        return `${prefix}b=${formatBase64(this.identifier as Uint8Array)}`;
    }
  }
}
