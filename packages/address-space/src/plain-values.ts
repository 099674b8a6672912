import { BuiltInType, type ExtensionObject, type Variant } from '@bulkhead/types';
import type { StructureTypes } from './structure-types.ts';

/** Gives callbacks what they expect: the value inside a Variant, and structures out of their ExtensionObjects. */
export class PlainValues {
  readonly #structures: StructureTypes;

  constructor(structures: StructureTypes) {
    this.#structures = structures;
  }

  /** Structures of unknown types stay ExtensionObjects. @throws DecodingError when a structure's bytes are malformed. */
  of(variant: Variant | undefined): unknown {
    if (variant === undefined) return undefined;
    if (variant.type !== BuiltInType.ExtensionObject) return variant.value;
    if (!variant.isArray) return this.#structure(variant.value as ExtensionObject);
    return variant.elements === undefined
      ? null
      : Array.from(variant.elements as ArrayLike<ExtensionObject>, (object) => this.#structure(object));
  }

  #structure(object: ExtensionObject): unknown {
    return this.#structures.decode(object) ?? object;
  }
}
