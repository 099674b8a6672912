import { ModuleSource } from './module-source.ts';
import type { EnumerationModel } from './schema-model.ts';

/** Enumerations and option sets as constant objects, each with a type of the same name. */
export function emitEnumerations(enumerations: readonly EnumerationModel[], origin: string): ModuleSource {
  const module = new ModuleSource('enumerations.ts', origin);
  for (const enumeration of enumerations) {
    if (enumeration.documentation !== undefined) module.add(`/** ${enumeration.documentation} */`);
    const { name } = enumeration;
    if (enumeration.kind === 'optionSet') {
      const isBig = enumeration.base === 'UInt64';
      const members = enumeration.members.map((member) => `  ${member.name}: ${mask(member.value, isBig)},`);
      module.add(`export const ${name} = {`, ...members, '} as const;', `export type ${name} = ${isBig ? 'bigint' : 'number'};`, '');
    } else {
      const members = enumeration.members.map((member) => `  ${member.name}: ${member.value},`);
      module.add(
        `export const ${name} = {`,
        ...members,
        '} as const;',
        `export type ${name} = (typeof ${name})[keyof typeof ${name}];`,
        '',
      );
    }
  }
  return module;
}

function mask(value: bigint, isBig: boolean): string {
  return `0x${value.toString(16)}${isBig ? 'n' : ''}`;
}
