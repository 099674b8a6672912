import {
  BinaryReader,
  DecodingError,
  decodeNodeId,
  ExtensionObject,
  LocalizedText,
  NodeClass,
  NodeId,
  type RolePermissionType,
} from '@bulkhead/types';
import { EncodedVariant } from '../encoded-variant.ts';
import { MethodNode, ObjectNode, ViewNode } from '../instance-nodes.ts';
import type { Namespace } from '../namespace.ts';
import type { Node } from '../node.ts';
import type { ReferenceSlots } from '../references.ts';
import { DataTypeNode, ObjectTypeNode, ReferenceTypeNode, TypeNode, VariableTypeNode } from '../type-nodes.ts';
import { WellKnown } from '../type-tree.ts';
import { NO_VALUE, VariableNode } from '../variable-node.ts';
import { FORMAT, MAGIC, NodeFlags } from './format.ts';

/**
 * Fills namespace 0 from its packed form. Values and definitions stay bytes until somebody asks for them.
 * @throws DecodingError when the bytes are of another format or malformed.
 */
export function unpackCoreNamespace(namespace: Namespace, bytes: Buffer): void {
  new CoreNamespaceReader(namespace, bytes).unpack();
}

class CoreNamespaceReader {
  readonly #namespace: Namespace;
  readonly #bytes: Buffer;
  readonly #reader: BinaryReader;
  readonly #texts: string[] = [];
  readonly #permissions: (readonly RolePermissionType[])[] = [];
  readonly #nodes: Node[] = [];
  /** DataTypes as NodeIds, one object per number. */
  readonly #dataTypes = new Map<number, NodeId>();

  constructor(namespace: Namespace, bytes: Buffer) {
    this.#namespace = namespace;
    this.#bytes = bytes;
    this.#reader = new BinaryReader(bytes);
  }

  unpack(): void {
    const reader = this.#reader;
    if (reader.readUInt32() !== MAGIC || reader.readUInt32() !== FORMAT)
      throw DecodingError.malformed('no packed namespace of this version');
    const version = reader.readString() ?? undefined;
    const publicationDate = reader.readString() ?? undefined;
    const nodeCount = reader.readUInt32();
    this.#readTables();
    for (let i = 0; i < nodeCount; i++) {
      const node = this.#readNode();
      this.#nodes.push(node);
      this.#namespace.add(node);
    }
    for (const node of this.#nodes) this.#readReferences(node);
    if (reader.remaining !== 0) throw DecodingError.malformed(`${reader.remaining} bytes after the namespace`);
    this.#namespace.model = { version, publicationDate };
  }

  #readTables(): void {
    const reader = this.#reader;
    const textCount = reader.readUInt32();
    for (let i = 0; i < textCount; i++) this.#texts.push(reader.readString() ?? '');
    const listCount = reader.readUInt32();
    for (let i = 0; i < listCount; i++) {
      const list: RolePermissionType[] = [];
      const entryCount = reader.readUInt32();
      for (let j = 0; j < entryCount; j++) {
        list.push({ roleId: NodeId.numeric(0, reader.readUInt32()), permissions: reader.readUInt32() });
      }
      this.#permissions.push(list);
    }
  }

  #readNode(): Node {
    const reader = this.#reader;
    const nodeClass = reader.readUInt8();
    const identifier = reader.readUInt32();
    const name = this.#texts[reader.readUInt32() - 1] ?? '';
    const flags = reader.readUInt8();
    const displayName = flags & NodeFlags.DisplayName ? this.#localizedText() : undefined;
    const description = flags & NodeFlags.Description ? this.#localizedText() : undefined;
    const writeMask = flags & NodeFlags.WriteMask ? reader.readUInt32() : 0;
    const permissions = flags & NodeFlags.RolePermissions ? this.#permissions[reader.readUInt32()] : undefined;
    const restrictions = flags & NodeFlags.AccessRestrictions ? reader.readUInt16() : undefined;
    const symbolicName = flags & NodeFlags.SymbolicName ? this.#texts[reader.readUInt32() - 1] : undefined;
    const node = this.#readClass(nodeClass, identifier, name, flags);
    if (displayName !== undefined) node.ownDisplayName = displayName;
    if (flags & EXTRAS_FLAGS) {
      const extras = node.editExtras();
      extras.description = description;
      extras.writeMask = writeMask;
      extras.rolePermissions = permissions;
      extras.accessRestrictions = restrictions;
      extras.symbolicName = symbolicName;
    }
    if (flags & NodeFlags.Content) this.#readContent(node);
    return node;
  }

  #readClass(nodeClass: number, identifier: number, name: string, flags: number): Node {
    const reader = this.#reader;
    const isTrue = (flags & NodeFlags.Truth) !== 0;
    switch (nodeClass) {
      case NodeClass.Variable:
        return this.#readVariable(identifier, name, isTrue);
      case NodeClass.Object: {
        const node = new ObjectNode(this.#namespace, identifier, name, 0);
        node.eventNotifier = reader.readUInt8();
        return node;
      }
      case NodeClass.Method: {
        const node = new MethodNode(this.#namespace, identifier, name, 0);
        node.executable = isTrue;
        return node;
      }
      case NodeClass.View: {
        const node = new ViewNode(this.#namespace, identifier, name, 0);
        node.eventNotifier = reader.readUInt8();
        return node;
      }
      default: {
        const node = this.#readType(nodeClass, identifier, name);
        node.isAbstract = isTrue;
        return node;
      }
    }
  }

  #readType(nodeClass: number, identifier: number, name: string): TypeNode {
    const reader = this.#reader;
    switch (nodeClass) {
      case NodeClass.ObjectType:
        return new ObjectTypeNode(this.#namespace, identifier, name, 0);
      case NodeClass.DataType:
        return new DataTypeNode(this.#namespace, identifier, name, 0);
      case NodeClass.VariableType: {
        const node = new VariableTypeNode(this.#namespace, identifier, name, 0, this.#dataType());
        node.valueRank = reader.readInt32();
        node.arrayDimensions = this.#dimensions();
        return node;
      }
      case NodeClass.ReferenceType: {
        const node = new ReferenceTypeNode(this.#namespace, identifier, name, 0);
        node.isSymmetric = reader.readBoolean();
        node.inverseName = this.#localizedText();
        return node;
      }
      default:
        throw DecodingError.malformed(`node class ${nodeClass}`);
    }
  }

  #readVariable(identifier: number, name: string, isHistorizing: boolean): VariableNode {
    const reader = this.#reader;
    const dataType = this.#dataType();
    const valueRank = reader.readInt32();
    const dimensions = this.#dimensions();
    const node = new VariableNode(this.#namespace, identifier, name, 0, dataType, valueRank, reader.readUInt32(), NO_VALUE);
    const sampling = reader.readDouble();
    if (dimensions !== undefined) node.editDetails().arrayDimensions = dimensions;
    if (sampling !== 0) node.editDetails().minimumSamplingInterval = sampling;
    if (isHistorizing) node.editDetails().historizing = true;
    return node;
  }

  #readContent(node: Node): void {
    const reader = this.#reader;
    const byteCount = reader.readUInt32();
    const start = reader.take(byteCount);
    const end = start + byteCount;
    if (node instanceof VariableNode) node.editDetails().encoded = new EncodedVariant(this.#bytes, start, end);
    else if (node instanceof VariableTypeNode) node.default = new EncodedVariant(this.#bytes, start, end);
    else if (node instanceof DataTypeNode) {
      reader.length = start;
      const typeId = decodeNodeId(reader);
      node.definition = new ExtensionObject(typeId, this.#bytes.subarray(reader.length, end));
      reader.length = end;
    }
  }

  #readReferences(node: Node): void {
    const reader = this.#reader;
    const count = reader.readUInt16();
    const slots: ReferenceSlots = new Array(count * 2);
    for (let i = 0; i < count; i++) {
      const kindIndex = reader.readUInt16();
      const type = this.#nodes[kindIndex >>> 1];
      const target = this.#nodes[reader.readUInt16()];
      if (!(type instanceof ReferenceTypeNode) || target === undefined) throw DecodingError.malformed('reference to nowhere');
      const isForward = (kindIndex & 1) === 0;
      slots[i * 2] = isForward ? type.forward : type.inverse;
      slots[i * 2 + 1] = target;
      if (!isForward && type.identifier === WellKnown.HasSubtype && node instanceof TypeNode) node.superType = target as TypeNode;
    }
    if (count > 0) node.slots = slots;
  }

  #localizedText(): LocalizedText {
    const text = this.#texts[this.#reader.readUInt32() - 1] ?? null;
    return new LocalizedText(text, this.#texts[this.#reader.readUInt32() - 1] ?? null);
  }

  #dataType(): NodeId {
    const identifier = this.#reader.readUInt32();
    let id = this.#dataTypes.get(identifier);
    if (id === undefined) {
      id = NodeId.numeric(0, identifier);
      this.#dataTypes.set(identifier, id);
    }
    return id;
  }

  #dimensions(): readonly number[] | undefined {
    const count = this.#reader.readArrayLength(4);
    if (count < 0) return undefined;
    const dimensions: number[] = [];
    for (let i = 0; i < count; i++) dimensions.push(this.#reader.readUInt32());
    return dimensions;
  }
}

const EXTRAS_FLAGS =
  NodeFlags.Description | NodeFlags.WriteMask | NodeFlags.RolePermissions | NodeFlags.AccessRestrictions | NodeFlags.SymbolicName;
