import { EncodedSizes } from './encoded-size.ts';
import { FieldCode } from './field-code.ts';
import { ModuleSource } from './module-source.ts';
import type { FieldModel, SchemaModel, StructureModel } from './schema-model.ts';
import { optionalFieldsBodies, plainBodies, type StructureBodies, unionBodies } from './structure-bodies.ts';

/** Interfaces, codecs and descriptors of all structures, in one module per area. */
export function emitStructures(model: SchemaModel, origin: string): ModuleSource[] {
  const moduleOfStructure = new Map(model.structures.map((structure) => [structure.name, `./${structureFileName(structure)}`]));
  const enumerations = new Map(model.enumerations.map((enumeration) => [enumeration.name, enumeration]));
  const sizes = new EncodedSizes(model.structures);
  const arrayElements = new Set(model.structures.flatMap((structure) => structure.fields.flatMap(arrayElement)));
  const modules = new Map<string, ModuleSource>();
  for (const structure of model.structures) {
    const fileName = structureFileName(structure);
    let module = modules.get(fileName);
    if (module === undefined) {
      module = new ModuleSource(fileName, origin);
      modules.set(fileName, module);
    }
    const code = new FieldCode(module, moduleOfStructure, enumerations);
    emitStructure(module, structure, code);
    if (arrayElements.has(structure.name)) {
      emitArray(module, structure.name, sizes.minBytes({ kind: 'structure', name: structure.name }));
    }
    emitDescriptor(module, structure, code);
  }
  return [...modules.values()];
}

/** The module that a structure goes to. */
export function structureFileName(structure: StructureModel): string {
  return `${structure.area}-structures.ts`;
}

function arrayElement(field: FieldModel): string[] {
  return field.isArray && field.type.kind === 'structure' ? [field.type.name] : [];
}

function emitStructure(module: ModuleSource, structure: StructureModel, code: FieldCode): void {
  const { name, fields, kind } = structure;
  module.importType('../binary-reader.ts', 'BinaryReader');
  module.importType('../binary-writer.ts', 'BinaryWriter');
  if (structure.documentation !== undefined) module.add(`/** ${structure.documentation} */`);
  const properties = fields.map((field) => `  ${code.property(field, kind === 'union' || field.isOptional)};`);
  if (kind === 'union')
    properties.unshift('  /** Which of the fields is present, counted from 1; 0 for none. */', '  switchField: number;');
  module.add(`export interface ${name} {`, ...properties, '}');
  if (kind !== 'structure') module.importValue('../ua-status-error.ts', 'DecodingError');
  const header = messageHeader(structure);
  if (header !== undefined) emitMessageCodec(module, structure, code, header);
  else
    emitCodec(
      module,
      name,
      kind === 'union'
        ? unionBodies(structure, code)
        : kind === 'optionalFields'
          ? optionalFieldsBodies(structure, code)
          : plainBodies(fields, code),
    );
  emitCreate(module, structure, code);
}

function emitCodec(module: ModuleSource, name: string, bodies: StructureBodies): void {
  const unused = bodies.encode.length === 0 ? '_' : '';
  module.add(
    `export function encode${name}(${unused}w: BinaryWriter, ${unused}v: ${name}): void {`,
    ...bodies.encode,
    '}',
    `export function decode${name}(${unused}r: BinaryReader): ${name} {`,
    ...bodies.decode,
    '}',
  );
}

/** Name of the header property of a request or response; undefined for other structures. */
function messageHeader(structure: StructureModel): 'requestHeader' | 'responseHeader' | undefined {
  const first = structure.fields[0];
  if (first?.type.kind !== 'structure' || structure.kind !== 'structure') return undefined;
  if (first.propertyName === 'requestHeader' && first.type.name === 'RequestHeader') return 'requestHeader';
  if (first.propertyName === 'responseHeader' && first.type.name === 'ResponseHeader') return 'responseHeader';
  return undefined;
}

/** Messages have their header apart: requests are decoded, and responses encoded, after their header. */
function emitMessageCodec(
  module: ModuleSource,
  structure: StructureModel,
  code: FieldCode,
  header: 'requestHeader' | 'responseHeader',
): void {
  const { name } = structure;
  const [headerField, ...bodyFields] = structure.fields;
  if (headerField === undefined) return;
  const bodies = plainBodies(bodyFields, code);
  const unused = bodyFields.length === 0 ? '_' : '';
  if (header === 'requestHeader') {
    module.add(
      `export function encode${name}(w: BinaryWriter, v: ${name}): void {`,
      `  ${code.write(headerField, `v.${header}`)}`,
      ...bodies.encode,
      '}',
      `export function decode${name}(r: BinaryReader): ${name} {`,
      `  return decode${name}Body(r, ${code.read(headerField)});`,
      '}',
      `export function decode${name}Body(${unused}r: BinaryReader, requestHeader: RequestHeader): ${name} {`,
      ...plainBodies(bodyFields, code, ['requestHeader,']).decode,
      '}',
    );
  } else {
    module.add(
      `export function encode${name}(w: BinaryWriter, v: ${name}): void {`,
      `  ${code.write(headerField, `v.${header}`)}`,
      `  encode${name}Body(w, v);`,
      '}',
      `export function encode${name}Body(${unused}w: BinaryWriter, ${unused}v: Omit<${name}, 'responseHeader'>): void {`,
      ...bodies.encode,
      '}',
      `export function decode${name}(r: BinaryReader): ${name} {`,
      ...plainBodies(structure.fields, code).decode,
      '}',
    );
  }
}

function emitCreate(module: ModuleSource, structure: StructureModel, code: FieldCode): void {
  const { name, kind, fields } = structure;
  const unused = fields.length === 0 ? '_' : '';
  const properties = fields.map((field) => {
    const isOptional = kind === 'union' || field.isOptional;
    return `    ${field.propertyName}: init?.${field.propertyName}${isOptional ? '' : ` ?? ${code.defaultValue(field)}`},`;
  });
  if (kind === 'union') properties.unshift('    switchField: init?.switchField ?? 0,');
  module.add(`export function create${name}(${unused}init?: Partial<${name}>): ${name} {`, ...objectReturn(properties), '}');
}

function objectReturn(properties: readonly string[]): string[] {
  return properties.length === 0 ? ['  return {};'] : ['  return {', ...properties, '  };'];
}

function emitArray(module: ModuleSource, name: string, minBytes: number): void {
  if (minBytes < 1) throw new Error(`arrays of ${name} have no bound: an element takes no bytes`);
  module.add(
    `export function encode${name}Array(w: BinaryWriter, items: ReadonlyArray<${name}> | null | undefined): void {`,
    '  w.writeArrayLength(items);',
    `  if (items) for (const item of items) encode${name}(w, item);`,
    '}',
    `export function decode${name}Array(r: BinaryReader): ${name}[] | null {`,
    `  const length = r.readArrayLength(${minBytes});`,
    '  if (length < 0) return null;',
    `  const items = new Array<${name}>(length);`,
    `  for (let i = 0; i < length; i++) items[i] = decode${name}(r);`,
    '  return items;',
    '}',
  );
}

function emitDescriptor(module: ModuleSource, structure: StructureModel, code: FieldCode): void {
  const { name } = structure;
  const header = messageHeader(structure);
  const type = header === undefined ? 'StructureType' : header === 'requestHeader' ? 'RequestType' : 'ResponseType';
  module.importType('../structure-type.ts', type);
  const fields = structure.fields.map((field) => `    ${code.descriptor(field)},`);
  module.add(
    `export const ${name}: ${type}<${name}> = {`,
    `  name: '${structure.specName}',`,
    `  dataTypeId: ${structure.dataTypeId},`,
    `  binaryEncodingId: ${structure.binaryEncodingId},`,
    `  xmlEncodingId: ${structure.xmlEncodingId},`,
    `  jsonEncodingId: ${structure.jsonEncodingId},`,
    `  kind: '${structure.kind}',`,
    ...(fields.length === 0 ? ['  fields: [],'] : ['  fields: [', ...fields, '  ],']),
    `  encode: encode${name},`,
    `  decode: decode${name},`,
    `  create: create${name},`,
    ...(header === 'requestHeader' ? [`  decodeBody: decode${name}Body,`] : []),
    ...(header === 'responseHeader' ? [`  encodeBody: encode${name}Body,`] : []),
    '};',
    '',
  );
}
