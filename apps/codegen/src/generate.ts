import { readFile } from 'node:fs/promises';
import { readBsd } from './bsd-reader.ts';
import { buildModel } from './build-model.ts';
import { emitArrays } from './emit-arrays.ts';
import { emitAttributeIds } from './emit-attribute-ids.ts';
import { emitEnumerations } from './emit-enumerations.ts';
import { emitNodeIds } from './emit-node-ids.ts';
import { emitRegistry } from './emit-registry.ts';
import { emitStatusCodes } from './emit-status-codes.ts';
import { emitStructures } from './emit-structures.ts';
import { bsdPath, nodesetPath, packageVersion } from './inputs.ts';
import { ModuleSource } from './module-source.ts';
import { readNodeIds, readStatusCodes } from './node-opcua-data.ts';
import { readNodeset } from './nodeset-reader.ts';

/** Makes all modules in memory: text by file name. */
export async function generateModules(): Promise<Map<string, string>> {
  const nodeset = readNodeset(await readFile(nodesetPath, 'utf8'));
  const ids = readNodeIds();
  const model = buildModel(readBsd(await readFile(bsdPath, 'utf8')), nodeset, ids);
  const schemaOrigin = `Opc.Ua.NodeSet2.xml ${nodeset.version} and Opc.Ua.Types.bsd`;
  const idsOrigin = await packageVersion('node-opcua-constants');
  const modules = [
    ...emitStatusCodes(readStatusCodes(), await packageVersion('node-opcua-status-code')),
    emitAttributeIds(),
    ...emitNodeIds(ids, idsOrigin),
    emitEnumerations(model.enumerations, schemaOrigin),
    emitArrays(),
    ...emitStructures(model, schemaOrigin),
    emitRegistry(model.structures, schemaOrigin),
  ];
  return new Map([...modules, emitIndex(modules)].map((module) => [module.fileName, module.toString()]));
}

function emitIndex(modules: readonly ModuleSource[]): ModuleSource {
  const index = new ModuleSource('index.ts', 'its own modules');
  for (const fileName of modules.map((module) => module.fileName).sort()) index.add(`export * from './${fileName}';`);
  return index;
}
