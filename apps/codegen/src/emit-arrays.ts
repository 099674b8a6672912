import { type BuiltInCodec, builtInCodecs, CODEC_MODULE } from './built-in-codecs.ts';
import { ModuleSource } from './module-source.ts';
import { type BuiltInName, builtInNames } from './schema-model.ts';

export const ARRAYS_MODULE = './arrays.ts';

/** Codec functions for arrays of the built-in types; one loop per type, so that each stays monomorphic. */
export function emitArrays(): ModuleSource {
  const module = new ModuleSource('arrays.ts', 'the built-in types of OPC 10000-6 §5.1.2');
  module.importType('../binary-reader.ts', 'BinaryReader');
  module.importType('../binary-writer.ts', 'BinaryWriter');
  for (const name of builtInNames) {
    if (name !== 'XmlElement' && name !== 'StatusCode') emitArray(module, name, builtInCodecs[name]);
  }
  return module;
}

/** The type whose array functions also serve this one, because both look the same on the wire and in TypeScript. */
export function arrayFunctionSuffix(name: BuiltInName): string {
  if (name === 'XmlElement') return 'String';
  return name === 'StatusCode' ? 'UInt32' : name;
}

function emitArray(module: ModuleSource, name: BuiltInName, codec: BuiltInCodec): void {
  if (codec.module !== undefined && codec.type !== 'string') module.importType(codec.module, codec.type.replace(' | null', ''));
  const isStream = codec.via === 'stream';
  if (!isStream) {
    module.importValue(CODEC_MODULE, `decode${codec.suffix}`);
    module.importValue(CODEC_MODULE, `encode${codec.suffix}`);
  }
  const read = isStream ? `r.read${codec.suffix}()` : `decode${codec.suffix}(r)`;
  const write = isStream ? `w.write${codec.suffix}(item)` : `encode${codec.suffix}(w, item)`;
  const element = codec.type;
  const array = element.includes('|') ? `(${element})[]` : `${element}[]`;
  module.add(
    `export function decode${name}Array(r: BinaryReader): ${array} | null {`,
    `  const length = r.readArrayLength(${codec.minBytes});`,
    '  if (length < 0) return null;',
    `  const items = new Array<${element}>(length);`,
    `  for (let i = 0; i < length; i++) items[i] = ${read};`,
    '  return items;',
    '}',
    `export function encode${name}Array(w: BinaryWriter, items: ReadonlyArray<${element}> | null | undefined): void {`,
    '  w.writeArrayLength(items);',
    `  if (items) for (const item of items) ${write};`,
    '}',
    '',
  );
}
