import { builtInCodecs, CODEC_MODULE } from './built-in-codecs.ts';
import { ARRAYS_MODULE, arrayFunctionSuffix } from './emit-arrays.ts';
import type { ModuleSource } from './module-source.ts';
import type { BuiltInName, EnumerationModel, FieldModel, FieldType, StructureModel } from './schema-model.ts';

const ENUMERATIONS_MODULE = './enumerations.ts';

/** Writes the pieces of code that deal with one field, and notes the imports that they need. */
export class FieldCode {
  readonly #module: ModuleSource;
  readonly #moduleOfStructure: ReadonlyMap<string, string>;
  readonly #enumerations: ReadonlyMap<string, EnumerationModel>;

  /** @param moduleOfStructure module specifier by name of structure */
  constructor(module: ModuleSource, moduleOfStructure: ReadonlyMap<string, string>, enumerations: ReadonlyMap<string, EnumerationModel>) {
    this.#module = module;
    this.#moduleOfStructure = moduleOfStructure;
    this.#enumerations = enumerations;
  }

  /** The field's property in the interface, without a semicolon. */
  property(field: FieldModel, isOptional: boolean): string {
    const type = this.#fieldType(field);
    return isOptional ? `${field.propertyName}?: ${type} | undefined` : `${field.propertyName}: ${type}`;
  }

  /** Expression that decodes the field from `r`. */
  read(field: FieldModel): string {
    const { type } = field;
    if (field.isArray) return this.#readArray(type);
    switch (type.kind) {
      case 'builtIn':
        return this.#readBuiltIn(type.name);
      case 'enumeration':
        return `r.readInt32() as ${this.#valueType(type)}`;
      case 'optionSet':
        return this.#readBuiltIn(type.base);
      case 'structure':
        return `${this.#structureFunction('decode', type.name)}(r)`;
    }
  }

  /** Statement that encodes `value` to `w`. */
  write(field: FieldModel, value: string): string {
    const { type } = field;
    if (field.isArray) return `${this.#arrayFunction('encode', type)}(w, ${value});`;
    switch (type.kind) {
      case 'builtIn':
        return this.#writeBuiltIn(type.name, value);
      case 'enumeration':
        return `w.writeInt32(${value});`;
      case 'optionSet':
        return this.#writeBuiltIn(type.base, value);
      case 'structure':
        return `${this.#structureFunction('encode', type.name)}(w, ${value});`;
    }
  }

  /** Expression for the field's value when nobody sets it. */
  defaultValue(field: FieldModel): string {
    const { type } = field;
    if (field.isArray) return 'null';
    switch (type.kind) {
      case 'builtIn': {
        const codec = builtInCodecs[type.name];
        if (codec.module !== undefined && codec.defaultImport !== undefined) this.#module.importValue(codec.module, codec.defaultImport);
        return codec.defaultValue;
      }
      case 'enumeration':
        return this.#firstMember(type.name);
      case 'optionSet':
        return builtInCodecs[type.base].defaultValue;
      case 'structure':
        return `${this.#structureFunction('create', type.name)}()`;
    }
  }

  /** The field's entry in the descriptor. */
  descriptor(field: FieldModel): string {
    const { type } = field;
    const parts = [`name: '${field.propertyName}'`, `specName: '${field.specName}'`];
    this.#module.importValue('../built-in-type.ts', 'BuiltInType');
    switch (type.kind) {
      case 'builtIn':
        parts.push(`type: BuiltInType.${type.name}`);
        break;
      case 'enumeration':
        parts.push('type: BuiltInType.Int32', `enumeration: '${this.#enumerations.get(type.name)?.specName ?? type.name}'`);
        break;
      case 'optionSet':
        parts.push(`type: BuiltInType.${type.base}`);
        break;
      case 'structure':
        this.#module.importValue(this.#structureModule(type.name), type.name);
        parts.push('type: BuiltInType.ExtensionObject', `structure: () => ${type.name}`);
        break;
    }
    parts.push(`isArray: ${field.isArray}`);
    if (field.isOptional) parts.push('optional: true');
    return `{ ${parts.join(', ')} }`;
  }

  #fieldType(field: FieldModel): string {
    const type = this.#valueType(field.type);
    return field.isArray ? `ReadonlyArray<${type}> | null` : type;
  }

  #valueType(type: FieldType): string {
    switch (type.kind) {
      case 'builtIn': {
        const codec = builtInCodecs[type.name];
        if (codec.module !== undefined && codec.type !== 'string') this.#module.importType(codec.module, codec.type.replace(' | null', ''));
        return codec.type;
      }
      case 'enumeration':
      case 'optionSet':
        this.#module.importType(ENUMERATIONS_MODULE, type.name);
        return type.name;
      case 'structure':
        this.#module.importType(this.#structureModule(type.name), type.name);
        return type.name;
    }
  }

  #readArray(type: FieldType): string {
    const call = `${this.#arrayFunction('decode', type)}(r)`;
    return type.kind === 'enumeration' ? `${call} as ${this.#valueType(type)}[] | null` : call;
  }

  #readBuiltIn(name: BuiltInName): string {
    const codec = builtInCodecs[name];
    if (codec.via === 'stream') return `r.read${codec.suffix}()`;
    this.#module.importValue(CODEC_MODULE, `decode${codec.suffix}`);
    return `decode${codec.suffix}(r)`;
  }

  #writeBuiltIn(name: BuiltInName, value: string): string {
    const codec = builtInCodecs[name];
    if (codec.via === 'stream') return `w.write${codec.suffix}(${value});`;
    this.#module.importValue(CODEC_MODULE, `encode${codec.suffix}`);
    return `encode${codec.suffix}(w, ${value});`;
  }

  #arrayFunction(prefix: 'encode' | 'decode', type: FieldType): string {
    if (type.kind === 'structure') return this.#structureFunction(prefix, type.name, 'Array');
    const element = type.kind === 'builtIn' ? arrayFunctionSuffix(type.name) : type.kind === 'enumeration' ? 'Int32' : type.base;
    const name = `${prefix}${element}Array`;
    this.#module.importValue(ARRAYS_MODULE, name);
    return name;
  }

  #structureFunction(prefix: 'encode' | 'decode' | 'create', structure: StructureModel['name'], suffix = ''): string {
    const name = `${prefix}${structure}${suffix}`;
    this.#module.importValue(this.#structureModule(structure), name);
    return name;
  }

  #structureModule(structure: string): string {
    const module = this.#moduleOfStructure.get(structure);
    if (module === undefined) throw new Error(`no module holds structure ${structure}`);
    return module;
  }

  /** 0 where the enumeration has it, else its first member. */
  #firstMember(enumeration: string): string {
    const members = this.#enumerations.get(enumeration)?.members ?? [];
    const first = members.find((member) => member.value === 0n) ?? members[0];
    if (first === undefined) throw new Error(`enumeration ${enumeration} has no members`);
    this.#module.importValue(ENUMERATIONS_MODULE, enumeration);
    return `${enumeration}.${first.name}`;
  }
}
