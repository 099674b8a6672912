/**
 * The 25 built-in types and their ids on the wire, plus `Null` for an empty Variant.
 * OPC 10000-6 §5.1.2, Table 1.
 */
export const BuiltInType: {
  readonly Null: 0;
  readonly Boolean: 1;
  readonly SByte: 2;
  readonly Byte: 3;
  readonly Int16: 4;
  readonly UInt16: 5;
  readonly Int32: 6;
  readonly UInt32: 7;
  readonly Int64: 8;
  readonly UInt64: 9;
  readonly Float: 10;
  readonly Double: 11;
  readonly String: 12;
  readonly DateTime: 13;
  readonly Guid: 14;
  readonly ByteString: 15;
  readonly XmlElement: 16;
  readonly NodeId: 17;
  readonly ExpandedNodeId: 18;
  readonly StatusCode: 19;
  readonly QualifiedName: 20;
  readonly LocalizedText: 21;
  readonly ExtensionObject: 22;
  readonly DataValue: 23;
  readonly Variant: 24;
  readonly DiagnosticInfo: 25;
} = {
  Null: 0,
  Boolean: 1,
  SByte: 2,
  Byte: 3,
  Int16: 4,
  UInt16: 5,
  Int32: 6,
  UInt32: 7,
  Int64: 8,
  UInt64: 9,
  Float: 10,
  Double: 11,
  String: 12,
  DateTime: 13,
  Guid: 14,
  ByteString: 15,
  XmlElement: 16,
  NodeId: 17,
  ExpandedNodeId: 18,
  StatusCode: 19,
  QualifiedName: 20,
  LocalizedText: 21,
  ExtensionObject: 22,
  DataValue: 23,
  Variant: 24,
  DiagnosticInfo: 25,
};
export type BuiltInType = (typeof BuiltInType)[keyof typeof BuiltInType];

/** Names of the built-in types by id: `builtInTypeNames[11] === 'Double'`. */
export const builtInTypeNames: readonly string[] = Object.keys(BuiltInType);
