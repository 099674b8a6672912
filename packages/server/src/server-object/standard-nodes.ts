import { type AddressSpace, MethodNode, type ReadCallback, VariableNode } from '@bulkhead/address-space';
import {
  BuiltInType,
  ExtensionObject,
  type MethodIds,
  NodeId,
  StatusCodes,
  type StructureType,
  UaStatusError,
  type VariableIds,
  Variant,
} from '@bulkhead/types';

/** Numeric NodeId of a standard Variable. */
export type VariableId = (typeof VariableIds)[keyof typeof VariableIds];
/** Numeric NodeId of a standard Method. */
export type MethodId = (typeof MethodIds)[keyof typeof MethodIds];

/** Changes seldom enough that half a second is fine for those who watch it. */
export const LIVE_SAMPLING_MS = 500;

/** Gives nodes of namespace 0 their values and behaviour. */
export class StandardNodes {
  readonly #space: AddressSpace;

  constructor(space: AddressSpace) {
    this.#space = space;
  }

  /** Gives a variable a value that stays. */
  set(id: VariableId, value: unknown): void {
    this.variable(id).setValue(value);
  }

  /** Gives a variable a value that is asked for when it is read. */
  bind(id: VariableId, read: ReadCallback): void {
    this.variable(id).bind({ read, minimumSamplingInterval: LIVE_SAMPLING_MS });
  }

  /** @throws UaStatusError BadNodeIdUnknown when namespace 0 isn't loaded. */
  variable(id: VariableId): VariableNode {
    const node = this.#space.getNode(NodeId.numeric(0, id));
    if (node instanceof VariableNode) return node;
    throw new UaStatusError(StatusCodes.BadNodeIdUnknown, `no standard Variable i=${id}`);
  }

  /** @throws UaStatusError BadNodeIdUnknown when namespace 0 isn't loaded. */
  method(id: MethodId): MethodNode {
    const node = this.#space.getNode(NodeId.numeric(0, id));
    if (node instanceof MethodNode) return node;
    throw new UaStatusError(StatusCodes.BadNodeIdUnknown, `no standard Method i=${id}`);
  }
}

export function structure<T>(type: StructureType<T>, value: T): Variant {
  return Variant.scalar(BuiltInType.ExtensionObject, ExtensionObject.of(type, value));
}

export function structures<T>(type: StructureType<T>, values: readonly T[]): Variant {
  return Variant.array(
    BuiltInType.ExtensionObject,
    values.map((value) => ExtensionObject.of(type, value)),
  );
}
