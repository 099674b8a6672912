/** Name of a built-in type with a value on the wire. OPC 10000-6 §5.1.2. */
export type BuiltInName =
  | 'Boolean'
  | 'SByte'
  | 'Byte'
  | 'Int16'
  | 'UInt16'
  | 'Int32'
  | 'UInt32'
  | 'Int64'
  | 'UInt64'
  | 'Float'
  | 'Double'
  | 'String'
  | 'DateTime'
  | 'Guid'
  | 'ByteString'
  | 'XmlElement'
  | 'NodeId'
  | 'ExpandedNodeId'
  | 'StatusCode'
  | 'QualifiedName'
  | 'LocalizedText'
  | 'ExtensionObject'
  | 'DataValue'
  | 'Variant'
  | 'DiagnosticInfo';

/** Index + 1 is the type's id. */
export const builtInNames: readonly BuiltInName[] = [
  'Boolean',
  'SByte',
  'Byte',
  'Int16',
  'UInt16',
  'Int32',
  'UInt32',
  'Int64',
  'UInt64',
  'Float',
  'Double',
  'String',
  'DateTime',
  'Guid',
  'ByteString',
  'XmlElement',
  'NodeId',
  'ExpandedNodeId',
  'StatusCode',
  'QualifiedName',
  'LocalizedText',
  'ExtensionObject',
  'DataValue',
  'Variant',
  'DiagnosticInfo',
];

/** How a field travels; names of enumerations and structures are those in TypeScript. */
export type FieldType =
  | { readonly kind: 'builtIn'; readonly name: BuiltInName }
  | { readonly kind: 'enumeration'; readonly name: string }
  | { readonly kind: 'optionSet'; readonly name: string; readonly base: BuiltInName }
  | { readonly kind: 'structure'; readonly name: string };

export interface FieldModel {
  readonly specName: string;
  readonly propertyName: string;
  readonly type: FieldType;
  readonly isArray: boolean;
  readonly isOptional: boolean;
}

export interface EnumerationModel {
  /** In TypeScript. */
  readonly name: string;
  readonly specName: string;
  readonly kind: 'enumeration' | 'optionSet';
  /** Int32 for enumerations, the unsigned base type for option sets. */
  readonly base: BuiltInName;
  /** Values of an enumeration; masks (not bit numbers) of an option set. */
  readonly members: readonly { readonly name: string; readonly value: bigint }[];
  readonly documentation: string | undefined;
}

export interface StructureModel {
  /** In TypeScript. */
  readonly name: string;
  readonly specName: string;
  readonly kind: 'structure' | 'optionalFields' | 'union';
  /** Inherited fields first. */
  readonly fields: readonly FieldModel[];
  /** `service` for types that no node of the information model stands for, else by the part of the specification. */
  readonly area: 'service' | 'pubsub' | 'information-model';
  readonly documentation: string | undefined;
  readonly dataTypeId: number;
  readonly binaryEncodingId: number;
  readonly xmlEncodingId: number;
  readonly jsonEncodingId: number;
}

/** Everything the emitters need to know. */
export interface SchemaModel {
  readonly enumerations: readonly EnumerationModel[];
  readonly structures: readonly StructureModel[];
}

/** Names with their numeric ids in namespace 0, by node class. */
export interface NodeIdTable {
  readonly objectIds: ReadonlyMap<string, number>;
  readonly objectTypeIds: ReadonlyMap<string, number>;
  readonly variableIds: ReadonlyMap<string, number>;
  readonly variableTypeIds: ReadonlyMap<string, number>;
  readonly dataTypeIds: ReadonlyMap<string, number>;
  readonly referenceTypeIds: ReadonlyMap<string, number>;
  readonly methodIds: ReadonlyMap<string, number>;
}

export interface StatusCodeModel {
  readonly name: string;
  readonly code: number;
  readonly description: string;
}
