import { builtInCodecs } from './built-in-codecs.ts';
import type { FieldModel, FieldType, StructureModel } from './schema-model.ts';

/** Computes the fewest bytes that values can take, which bounds how many array elements a message can hold. */
export class EncodedSizes {
  readonly #structures: ReadonlyMap<string, StructureModel>;
  readonly #known = new Map<string, number>();

  constructor(structures: readonly StructureModel[]) {
    this.#structures = new Map(structures.map((structure) => [structure.name, structure]));
  }

  /** @throws Error for an unknown structure or one that contains itself other than in an array or optional field. */
  minBytes(type: FieldType): number {
    switch (type.kind) {
      case 'builtIn':
        return builtInCodecs[type.name].minBytes;
      case 'enumeration':
        return builtInCodecs.Int32.minBytes;
      case 'optionSet':
        return builtInCodecs[type.base].minBytes;
      case 'structure':
        return this.#structureMinBytes(type.name);
    }
  }

  #structureMinBytes(name: string): number {
    const known = this.#known.get(name);
    if (known !== undefined) {
      if (Number.isNaN(known)) throw new Error(`${name} contains itself`);
      return known;
    }
    const structure = this.#structures.get(name);
    if (structure === undefined) throw new Error(`unknown structure ${name}`);
    this.#known.set(name, Number.NaN);
    let bytes = structure.kind === 'structure' ? 0 : 4;
    if (structure.kind !== 'union') for (const field of structure.fields) bytes += this.#fieldMinBytes(field);
    this.#known.set(name, bytes);
    return bytes;
  }

  #fieldMinBytes(field: FieldModel): number {
    if (field.isOptional) return 0;
    return field.isArray ? 4 : this.minBytes(field.type);
  }
}
