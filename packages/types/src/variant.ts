import { BuiltInType } from './built-in-type.ts';
import type { DataValue } from './data-value.ts';
import type { DateTime } from './date-time.ts';
import type { DiagnosticInfo } from './diagnostic-info.ts';
import type { ExpandedNodeId } from './expanded-node-id.ts';
import type { ExtensionObject } from './extension-object.ts';
import type { LocalizedText } from './localized-text.ts';
import type { NodeId } from './node-id.ts';
import type { QualifiedName } from './qualified-name.ts';
import type { StatusCode } from './status-code.ts';

/** The TypeScript type of one value of each built-in type. Integers are numbers but for the 64-bit ones, which are bigint. */
export interface BuiltInValues {
  0: undefined;
  1: boolean;
  2: number;
  3: number;
  4: number;
  5: number;
  6: number;
  7: number;
  8: bigint;
  9: bigint;
  10: number;
  11: number;
  12: string | null;
  13: DateTime;
  14: string;
  15: Uint8Array | null;
  16: string | null;
  17: NodeId;
  18: ExpandedNodeId;
  19: StatusCode;
  20: QualifiedName;
  21: LocalizedText;
  22: ExtensionObject;
  23: DataValue;
  24: Variant;
  25: DiagnosticInfo;
}

/** A scalar, an array or a matrix of one built-in type. Immutable. OPC 10000-6 §5.2.2.16. */
export class Variant {
  readonly type: BuiltInType;
  /** A scalar, the elements of an array or matrix in row-major order, or null for a null array. */
  readonly value: unknown;
  readonly isArray: boolean;
  /** Lengths of a matrix' dimensions (two or more); undefined for scalars and one-dimensional arrays. */
  readonly dimensions: readonly number[] | undefined;

  private constructor(type: BuiltInType, value: unknown, isArray: boolean, dimensions: readonly number[] | undefined) {
    this.type = type;
    this.value = value;
    this.isArray = isArray;
    this.dimensions = dimensions;
  }

  /** The empty Variant: no type, no value. */
  static readonly NULL: Variant = new Variant(BuiltInType.Null, undefined, false, undefined);

  static scalar<T extends BuiltInType>(type: T, value: BuiltInValues[T]): Variant {
    return new Variant(type, value, false, undefined);
  }

  /** @param values the elements (any array-like, typed arrays included), or null for a null array. */
  static array<T extends BuiltInType>(type: T, values: ArrayLike<BuiltInValues[T]> | null): Variant {
    return new Variant(type, values, true, undefined);
  }

  /**
   * @param values the elements, last dimension fastest.
   * @throws RangeError unless the dimensions multiply to the number of elements.
   */
  static matrix<T extends BuiltInType>(type: T, values: ArrayLike<BuiltInValues[T]>, dimensions: readonly number[]): Variant {
    const count = dimensions.reduce((product, length) => product * length, 1);
    if (count !== values.length) throw new RangeError(`dimensions ${dimensions.join('x')} hold ${count} elements, not ${values.length}`);
    return new Variant(type, values, true, dimensions.length > 1 ? dimensions : undefined);
  }

  static boolean(value: boolean): Variant {
    return new Variant(BuiltInType.Boolean, value, false, undefined);
  }

  static int32(value: number): Variant {
    return new Variant(BuiltInType.Int32, value, false, undefined);
  }

  static uint32(value: number): Variant {
    return new Variant(BuiltInType.UInt32, value, false, undefined);
  }

  static double(value: number): Variant {
    return new Variant(BuiltInType.Double, value, false, undefined);
  }

  static string(value: string | null): Variant {
    return new Variant(BuiltInType.String, value, false, undefined);
  }

  /** True for the empty Variant and for a scalar or array whose value is null. */
  get isNull(): boolean {
    return this.type === BuiltInType.Null || this.value === null || this.value === undefined;
  }

  /** The elements of an array or matrix; undefined for scalars and null arrays. */
  get elements(): ArrayLike<unknown> | undefined {
    return this.isArray && this.value !== null ? (this.value as ArrayLike<unknown>) : undefined;
  }
}
