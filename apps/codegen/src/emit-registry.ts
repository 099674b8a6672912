import { structureFileName } from './emit-structures.ts';
import { ModuleSource } from './module-source.ts';
import type { StructureModel } from './schema-model.ts';

/** Lookups of structure descriptors by id and by name. */
export function emitRegistry(structures: readonly StructureModel[], origin: string): ModuleSource {
  const module = new ModuleSource('structure-registry.ts', origin);
  module.importType('../structure-type.ts', 'StructureType');
  for (const structure of structures) module.importValue(`./${structureFileName(structure)}`, structure.name);
  module.add(
    '/** The structure whose binary encoding has this numeric id in namespace 0. */',
    'export function structureTypeByEncodingId(id: number): StructureType<unknown> | undefined {',
    '  return registry().byEncodingId.get(id);',
    '}',
    '',
    '/** The structure whose DataType has this numeric id in namespace 0. */',
    'export function structureTypeByDataTypeId(id: number): StructureType<unknown> | undefined {',
    '  return registry().byDataTypeId.get(id);',
    '}',
    '',
    '/** The structure of this name, as in the specification (`ReadRequest`). */',
    'export function structureTypeByName(name: string): StructureType<unknown> | undefined {',
    '  return registry().byName.get(name);',
    '}',
    '',
    '/** All structures of namespace 0. */',
    'export function allStructureTypes(): readonly StructureType<unknown>[] {',
    '  return registry().all;',
    '}',
    '',
    'interface Registry {',
    '  readonly all: readonly StructureType<unknown>[];',
    '  readonly byEncodingId: ReadonlyMap<number, StructureType<unknown>>;',
    '  readonly byDataTypeId: ReadonlyMap<number, StructureType<unknown>>;',
    '  readonly byName: ReadonlyMap<string, StructureType<unknown>>;',
    '}',
    '',
    '// Built on first use, which also keeps the order in which modules are evaluated from mattering.',
    'let built: Registry | undefined;',
    '',
    'function registry(): Registry {',
    '  built ??= build();',
    '  return built;',
    '}',
    '',
    'function build(): Registry {',
    '  const all: StructureType<unknown>[] = [',
    ...structures.map((structure) => `    ${structure.name},`),
    '  ];',
    '  return {',
    '    all,',
    '    byEncodingId: new Map(all.map((type) => [type.binaryEncodingId, type])),',
    '    byDataTypeId: new Map(all.map((type) => [type.dataTypeId, type])),',
    '    byName: new Map(all.map((type) => [type.name, type])),',
    '  };',
    '}',
  );
  return module;
}
