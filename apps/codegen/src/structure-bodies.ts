import type { FieldCode } from './field-code.ts';
import type { FieldModel, StructureModel } from './schema-model.ts';

/** Lines inside the encode and decode functions of a structure. */
export interface StructureBodies {
  readonly encode: readonly string[];
  readonly decode: readonly string[];
}

/**
 * The fields one after the other. OPC 10000-6 §5.2.6.
 * @param first properties that the decoded object starts with
 */
export function plainBodies(fields: readonly FieldModel[], code: FieldCode, first: readonly string[] = []): StructureBodies {
  const properties = [
    ...first.map((property) => `    ${property}`),
    ...fields.map((field) => `    ${field.propertyName}: ${code.read(field)},`),
  ];
  return {
    encode: fields.map((field) => `  ${code.write(field, `v.${field.propertyName}`)}`),
    decode: properties.length === 0 ? ['  return {};'] : ['  return {', ...properties, '  };'],
  };
}

/** A mask that tells which optional fields follow, then the fields. OPC 10000-6 §5.2.7. */
export function optionalFieldsBodies(structure: StructureModel, code: FieldCode): StructureBodies {
  const optional = structure.fields.filter((field) => field.isOptional);
  if (optional.length > 31) throw new Error(`${structure.name} has more than 31 optional fields`);
  const bit = (field: FieldModel): string => `0x${(1 << optional.indexOf(field)).toString(16)}`;
  const known = ((1 << optional.length) - 1).toString(16);
  return {
    encode: [
      '  let mask = 0;',
      ...optional.map((field) => `  if (v.${field.propertyName} !== undefined) mask |= ${bit(field)};`),
      '  w.writeUInt32(mask);',
      ...structure.fields.map((field) => {
        const write = code.write(field, `v.${field.propertyName}`);
        return field.isOptional ? `  if (v.${field.propertyName} !== undefined) ${write}` : `  ${write}`;
      }),
    ],
    decode: [
      '  const mask = r.readUInt32();',
      `  if ((mask & ~0x${known}) !== 0) throw DecodingError.malformed('${structure.name}: unassigned bits in the encoding mask');`,
      '  return {',
      ...structure.fields.map((field) => {
        const read = code.read(field);
        const value = field.isOptional ? `(mask & ${bit(field)}) !== 0 ? ${read.includes(' as ') ? `(${read})` : read} : undefined` : read;
        return `    ${field.propertyName}: ${value},`;
      }),
      '  };',
    ],
  };
}

/** A number that tells which field follows, then that field. OPC 10000-6 §5.2.8. */
export function unionBodies(structure: StructureModel, code: FieldCode): StructureBodies {
  const { name, fields } = structure;
  return {
    encode: [
      '  w.writeUInt32(v.switchField);',
      '  switch (v.switchField) {',
      ...fields.flatMap((field, index) => [
        `    case ${index + 1}:`,
        `      ${code.write(field, `v.${field.propertyName} ?? ${code.defaultValue(field)}`)}`,
        '      break;',
      ]),
      '  }',
    ],
    decode: [
      `  const v: ${name} = { switchField: r.readUInt32(), ${fields.map((field) => `${field.propertyName}: undefined`).join(', ')} };`,
      '  switch (v.switchField) {',
      '    case 0:',
      '      break;',
      ...fields.flatMap((field, index) => [
        `    case ${index + 1}:`,
        `      v.${field.propertyName} = ${code.read(field)};`,
        '      break;',
      ]),
      '    default:',
      `      throw DecodingError.malformed('${name}: no such field');`,
      '  }',
      '  return v;',
    ],
  };
}
