import { ModuleSource } from './module-source.ts';
import type { NodeIdTable } from './schema-model.ts';

/**
 * One module of numeric ids per node class. The Objects that stand for encodings are left out: they are nine of ten, and
 * the structures' descriptors have their ids.
 */
export function emitNodeIds(ids: NodeIdTable, origin: string): ModuleSource[] {
  const objectIds = new Map([...ids.objectIds].filter(([name]) => !name.includes('_Encoding_')));
  return [
    emitTable('object-ids.ts', 'ObjectIds', 'Objects (but encodings)', objectIds, origin),
    emitTable('object-type-ids.ts', 'ObjectTypeIds', 'ObjectTypes', ids.objectTypeIds, origin),
    emitTable('variable-ids.ts', 'VariableIds', 'Variables', ids.variableIds, origin),
    emitTable('variable-type-ids.ts', 'VariableTypeIds', 'VariableTypes', ids.variableTypeIds, origin),
    emitTable('data-type-ids.ts', 'DataTypeIds', 'DataTypes', ids.dataTypeIds, origin),
    emitTable('reference-type-ids.ts', 'ReferenceTypeIds', 'ReferenceTypes', ids.referenceTypeIds, origin),
    emitTable('method-ids.ts', 'MethodIds', 'Methods', ids.methodIds, origin),
  ];
}

function emitTable(fileName: string, name: string, what: string, ids: ReadonlyMap<string, number>, origin: string): ModuleSource {
  const module = new ModuleSource(fileName, origin);
  const entries = [...ids].sort(([, a], [, b]) => a - b);
  module.add(
    `/** Numeric ids of the ${what} of namespace 0, by name. */`,
    `export const ${name} = {`,
    ...entries.map(([key, id]) => `  ${key}: ${id},`),
    '} as const;',
  );
  return module;
}
