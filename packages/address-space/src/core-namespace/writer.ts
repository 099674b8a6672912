import {
  BinaryWriter,
  encodeNodeId,
  encodeVariant,
  type LocalizedText,
  NodeClass,
  type NodeId,
  type RolePermissionType,
  StatusCodes,
  UaStatusError,
  type Variant,
} from '@bulkhead/types';
import type { AddressSpace } from '../address-space.ts';
import { EncodedVariant } from '../encoded-variant.ts';
import type { MethodNode, ObjectNode, ViewNode } from '../instance-nodes.ts';
import type { Node } from '../node.ts';
import type { ReferenceKind } from '../references.ts';
import { type DataTypeNode, type ReferenceTypeNode, TypeNode, type VariableTypeNode } from '../type-nodes.ts';
import type { VariableNode } from '../variable-node.ts';
import { FORMAT, MAGIC, NodeFlags } from './format.ts';

const MAX_NODES = 0x7fff;

/**
 * Packs namespace 0 of an address space.
 * @throws UaStatusError BadEncodingError when it has more nodes than the format can number, or ids that aren't numeric.
 */
export function packCoreNamespace(space: AddressSpace): Buffer {
  return new CoreNamespaceWriter(space).pack();
}

class CoreNamespaceWriter {
  readonly #space: AddressSpace;
  readonly #nodes: readonly Node[];
  readonly #indexes = new Map<Node, number>();
  readonly #texts = new Map<string, number>();
  readonly #permissions = new Map<string, { readonly index: number; readonly list: readonly RolePermissionType[] }>();

  constructor(space: AddressSpace) {
    this.#space = space;
    // Nodes of one class next to each other: the reader's code then stays with one shape of object at a time.
    this.#nodes = [...space.namespaces.core.nodes()].sort((a, b) => a.nodeClass - b.nodeClass);
    for (const [i, node] of this.#nodes.entries()) this.#indexes.set(node, i);
  }

  pack(): Buffer {
    if (this.#nodes.length > MAX_NODES) throw unpackable(`${this.#nodes.length} nodes`);
    const body = new BinaryWriter(1 << 20);
    for (const node of this.#nodes) this.#writeNode(body, node);
    for (const node of this.#nodes) this.#writeReferences(body, node);
    const packed = new BinaryWriter(1 << 20);
    packed.writeUInt32(MAGIC);
    packed.writeUInt32(FORMAT);
    packed.writeString(this.#space.namespaces.core.model?.version ?? null);
    packed.writeString(this.#space.namespaces.core.model?.publicationDate ?? null);
    packed.writeUInt32(this.#nodes.length);
    packed.writeUInt32(this.#texts.size);
    for (const text of this.#texts.keys()) packed.writeString(text);
    packed.writeUInt32(this.#permissions.size);
    for (const { list } of this.#permissions.values()) writePermissions(packed, list);
    packed.writeBytes(body.toBuffer());
    return Buffer.from(packed.toBuffer());
  }

  #writeNode(writer: BinaryWriter, node: Node): void {
    const { extras } = node;
    const content = contentOf(node, this.#space);
    const isTrue = truthOf(node);
    const flags =
      (node.ownDisplayName === undefined ? 0 : NodeFlags.DisplayName) |
      (extras?.description === undefined ? 0 : NodeFlags.Description) |
      (extras === undefined || extras.writeMask === 0 ? 0 : NodeFlags.WriteMask) |
      (extras?.rolePermissions === undefined ? 0 : NodeFlags.RolePermissions) |
      (extras?.accessRestrictions === undefined ? 0 : NodeFlags.AccessRestrictions) |
      (extras?.symbolicName === undefined ? 0 : NodeFlags.SymbolicName) |
      (content === undefined ? 0 : NodeFlags.Content) |
      (isTrue ? NodeFlags.Truth : 0);
    writer.writeUInt8(node.nodeClass);
    writer.writeUInt32(numberOf(node.nodeId));
    writer.writeUInt32(this.#text(node.name));
    writer.writeUInt8(flags);
    if (node.ownDisplayName !== undefined) this.#localizedText(writer, node.ownDisplayName);
    if (extras?.description !== undefined) this.#localizedText(writer, extras.description);
    if (flags & NodeFlags.WriteMask) writer.writeUInt32(extras?.writeMask ?? 0);
    if (extras?.rolePermissions !== undefined) writer.writeUInt32(this.#permissionList(extras.rolePermissions));
    if (extras?.accessRestrictions !== undefined) writer.writeUInt16(extras.accessRestrictions);
    if (extras?.symbolicName !== undefined) writer.writeUInt32(this.#text(extras.symbolicName));
    this.#writeClass(writer, node);
    if (content === undefined) return;
    const lengthAt = writer.reserveUInt32();
    content(writer);
    writer.patchUInt32(lengthAt, writer.length - lengthAt - 4);
  }

  #writeClass(writer: BinaryWriter, node: Node): void {
    switch (node.nodeClass) {
      case NodeClass.Variable: {
        const variable = node as VariableNode;
        writeData(writer, variable);
        writer.writeUInt32(variable.accessLevel);
        writer.writeDouble(variable.details?.minimumSamplingInterval ?? 0);
        return;
      }
      case NodeClass.VariableType:
        return writeData(writer, node as VariableTypeNode);
      case NodeClass.Object:
      case NodeClass.View:
        return writer.writeUInt8((node as ObjectNode | ViewNode).eventNotifier);
      case NodeClass.ReferenceType:
        writer.writeBoolean((node as ReferenceTypeNode).isSymmetric);
        return this.#localizedText(writer, (node as ReferenceTypeNode).inverseName);
      default:
    }
  }

  #writeReferences(writer: BinaryWriter, node: Node): void {
    const slots = node.slots;
    const pairs: [number, number][] = [];
    for (let i = 0; i < slots.length; i += 2) {
      const kind = slots[i] as ReferenceKind | undefined;
      if (kind === undefined) continue;
      const typeIndex = this.#indexes.get(kind.type);
      const targetIndex = this.#indexes.get(slots[i + 1] as Node);
      // References to other namespaces are theirs to bring.
      if (typeIndex !== undefined && targetIndex !== undefined) pairs.push([typeIndex * 2 + (kind.isForward ? 0 : 1), targetIndex]);
    }
    writer.writeUInt16(pairs.length);
    for (const [kindIndex, targetIndex] of pairs) {
      writer.writeUInt16(kindIndex);
      writer.writeUInt16(targetIndex);
    }
  }

  #text(text: string | null): number {
    if (text === null) return 0;
    let index = this.#texts.get(text);
    if (index === undefined) {
      index = this.#texts.size + 1;
      this.#texts.set(text, index);
    }
    return index;
  }

  #localizedText(writer: BinaryWriter, { text, locale }: LocalizedText): void {
    writer.writeUInt32(this.#text(text));
    writer.writeUInt32(this.#text(locale));
  }

  #permissionList(list: readonly RolePermissionType[]): number {
    const key = list.map(({ roleId, permissions }) => `${roleId.toString()}=${permissions}`).join();
    const known = this.#permissions.get(key) ?? { index: this.#permissions.size, list };
    this.#permissions.set(key, known);
    return known.index;
  }
}

function writePermissions(writer: BinaryWriter, list: readonly RolePermissionType[]): void {
  writer.writeUInt32(list.length);
  for (const { roleId, permissions } of list) {
    writer.writeUInt32(numberOf(roleId));
    writer.writeUInt32(permissions);
  }
}

function writeData(writer: BinaryWriter, node: VariableNode | VariableTypeNode): void {
  writer.writeUInt32(numberOf(node.dataType));
  writer.writeInt32(node.valueRank);
  writer.writeArrayLength(node.arrayDimensions);
  for (const length of node.arrayDimensions ?? []) writer.writeUInt32(length);
}

function truthOf(node: Node): boolean {
  if (node instanceof TypeNode) return node.isAbstract;
  if (node.nodeClass === NodeClass.Method) return (node as MethodNode).executable;
  return node.nodeClass === NodeClass.Variable && (node as VariableNode).details?.historizing === true;
}

/** How to write a node's value, default or definition; undefined when it has none. */
function contentOf(node: Node, space: AddressSpace): ((writer: BinaryWriter) => void) | undefined {
  if (node.nodeClass === NodeClass.DataType) {
    const definition = (node as DataTypeNode).definition;
    const body = definition?.toBinaryBody();
    if (definition === undefined || body === undefined) return undefined;
    return (writer) => {
      encodeNodeId(writer, definition.typeId);
      writer.writeBytes(body);
    };
  }
  const value = storedValue(node, space);
  return value === undefined ? undefined : (writer) => encodeVariant(writer, value);
}

function storedValue(node: Node, space: AddressSpace): Variant | undefined {
  if (node.nodeClass === NodeClass.Variable) return space.decodeValue(node as VariableNode).value;
  if (node.nodeClass !== NodeClass.VariableType) return undefined;
  const value = (node as VariableTypeNode).default;
  return value instanceof EncodedVariant ? value.decode() : value;
}

function numberOf(id: NodeId): number {
  if (id.namespaceIndex !== 0 || typeof id.identifier !== 'number') throw unpackable(id.toString());
  return id.identifier;
}

function unpackable(what: string): UaStatusError {
  return new UaStatusError(StatusCodes.BadEncodingError, `namespace 0 can't be packed: ${what}`);
}
