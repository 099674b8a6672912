import type { BuiltInName } from './schema-model.ts';

/** How generated code handles values of a built-in type. */
export interface BuiltInCodec {
  /** The TypeScript type of a value. */
  readonly type: string;
  /** Where the type (and its default value) is imported from; undefined for JavaScript's own types. */
  readonly module: string | undefined;
  /** Suffix of the stream's `read…`/`write…` methods, or of the codec's `decode…`/`encode…` functions. */
  readonly via: 'stream' | 'codec';
  readonly suffix: string;
  /** Fewest bytes that a value can take. OPC 10000-6 §5.2.2. */
  readonly minBytes: number;
  /** Expression for the default value. */
  readonly defaultValue: string;
  /** Name that the default value needs as an import from `module`, if any. */
  readonly defaultImport?: string;
}

function primitive(type: string, suffix: string, minBytes: number, defaultValue: string): BuiltInCodec {
  return { type, module: undefined, via: 'stream', suffix, minBytes, defaultValue };
}

function builtInClass(name: string, module: string, minBytes: number, defaultValue: string): BuiltInCodec {
  return { type: name, module, via: 'codec', suffix: name, minBytes, defaultValue, defaultImport: name };
}

export const builtInCodecs: Readonly<Record<BuiltInName, BuiltInCodec>> = {
  Boolean: primitive('boolean', 'Boolean', 1, 'false'),
  SByte: primitive('number', 'Int8', 1, '0'),
  Byte: primitive('number', 'UInt8', 1, '0'),
  Int16: primitive('number', 'Int16', 2, '0'),
  UInt16: primitive('number', 'UInt16', 2, '0'),
  Int32: primitive('number', 'Int32', 4, '0'),
  UInt32: primitive('number', 'UInt32', 4, '0'),
  Int64: primitive('bigint', 'Int64', 8, '0n'),
  UInt64: primitive('bigint', 'UInt64', 8, '0n'),
  Float: primitive('number', 'Float', 4, '0'),
  Double: primitive('number', 'Double', 8, '0'),
  String: primitive('string | null', 'String', 4, 'null'),
  XmlElement: primitive('string | null', 'String', 4, 'null'),
  ByteString: primitive('Uint8Array | null', 'ByteString', 4, 'null'),
  StatusCode: { type: 'StatusCode', module: '../status-code.ts', via: 'stream', suffix: 'UInt32', minBytes: 4, defaultValue: '0' },
  Guid: {
    type: 'string',
    module: '../guid.ts',
    via: 'codec',
    suffix: 'Guid',
    minBytes: 16,
    defaultValue: 'NULL_GUID',
    defaultImport: 'NULL_GUID',
  },
  DateTime: builtInClass('DateTime', '../date-time.ts', 8, 'DateTime.MIN'),
  NodeId: builtInClass('NodeId', '../node-id.ts', 2, 'NodeId.NULL'),
  ExpandedNodeId: builtInClass('ExpandedNodeId', '../expanded-node-id.ts', 2, 'ExpandedNodeId.NULL'),
  QualifiedName: builtInClass('QualifiedName', '../qualified-name.ts', 6, 'QualifiedName.NULL'),
  LocalizedText: builtInClass('LocalizedText', '../localized-text.ts', 1, 'LocalizedText.NULL'),
  ExtensionObject: builtInClass('ExtensionObject', '../extension-object.ts', 3, 'ExtensionObject.NULL'),
  DataValue: builtInClass('DataValue', '../data-value.ts', 1, 'new DataValue()'),
  Variant: builtInClass('Variant', '../variant.ts', 1, 'Variant.NULL'),
  DiagnosticInfo: {
    type: 'DiagnosticInfo | null',
    module: '../diagnostic-info.ts',
    via: 'codec',
    suffix: 'DiagnosticInfo',
    minBytes: 1,
    defaultValue: 'null',
  },
};

/** Module that exports the codec functions of the built-in types. */
export const CODEC_MODULE = '../codec/index.ts';
