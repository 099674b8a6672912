import {
  Argument,
  BuiltInType,
  type BuiltInValues,
  DateTime,
  EUInformation,
  ExpandedNodeId,
  ExtensionObject,
  LocalizedText,
  NodeId,
  NULL_GUID,
  QualifiedName,
  Range,
  StatusCodes,
  Variant,
} from '@bulkhead/types';

/** Values of one built-in type, the awkward ones among them. */
export interface Samples {
  readonly type: BuiltInType;
  /** A DataType whose values they are, by its BrowseName. */
  readonly dataType: string;
  readonly scalar: Variant;
  /** Another one, for variables that clients may not change. */
  readonly otherScalar: Variant;
  /** Six, so that they make a 2 x 3 matrix. */
  readonly elements: readonly unknown[];
}

/** Every matrix variable has this shape. */
export const MATRIX_DIMENSIONS: readonly number[] = [2, 3];

/** Letters of two, three and four bytes. */
export const unicodeText = 'Grüße, 世界 🚢';

function samples<T extends BuiltInType>(
  type: T,
  dataType: string,
  scalar: BuiltInValues[T],
  otherScalar: BuiltInValues[T],
  elements: readonly BuiltInValues[T][],
): Samples {
  return { type, dataType, scalar: Variant.scalar(type, scalar), otherScalar: Variant.scalar(type, otherScalar), elements };
}

const range = ExtensionObject.of(Range, Range.create({ low: -40, high: 125 }));
const unit = ExtensionObject.of(
  EUInformation,
  EUInformation.create({
    namespaceUri: 'http://www.opcfoundation.org/UA/units/un/cefact',
    unitId: 4_408_652,
    displayName: new LocalizedText('°C'),
    description: new LocalizedText('degree Celsius', 'en'),
  }),
);

/** Numbers: with their bounds, and what is no number among the floating-point ones. */
const numbers: readonly Samples[] = [
  samples(BuiltInType.SByte, 'SByte', -7, 42, [-128, -1, 0, 1, 99, 127]),
  samples(BuiltInType.Byte, 'Byte', 200, 17, [0, 1, 127, 128, 254, 255]),
  samples(BuiltInType.Int16, 'Int16', -12_345, 4242, [-32_768, -1, 0, 1, 256, 32_767]),
  samples(BuiltInType.UInt16, 'UInt16', 54_321, 1717, [0, 1, 255, 256, 32_768, 65_535]),
  samples(BuiltInType.Int32, 'Int32', -123_456_789, 42_424_242, [-2_147_483_648, -1, 0, 1, 65_536, 2_147_483_647]),
  samples(BuiltInType.UInt32, 'UInt32', 3_000_000_000, 171_717, [0, 1, 65_535, 65_536, 2_147_483_648, 4_294_967_295]),
  samples(BuiltInType.Int64, 'Int64', -1_234_567_890_123_456_789n, 42n, [
    -9_223_372_036_854_775_808n,
    -1n,
    0n,
    1n,
    9_007_199_254_740_993n,
    9_223_372_036_854_775_807n,
  ]),
  samples(BuiltInType.UInt64, 'UInt64', 12_345_678_901_234_567_890n, 17n, [
    0n,
    1n,
    4_294_967_296n,
    9_007_199_254_740_993n,
    9_223_372_036_854_775_808n,
    18_446_744_073_709_551_615n,
  ]),
  // Floats are such that the nearest 32-bit number is the number itself.
  samples(BuiltInType.Float, 'Float', -12.375, 0.5, [0, -0.25, 2 ** -149, Math.fround(3.4e38), Number.NaN, Number.NEGATIVE_INFINITY]),
  samples(BuiltInType.Double, 'Double', Math.PI, -1e-9, [
    0,
    -0.1,
    Number.MIN_VALUE,
    Number.MAX_VALUE,
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ]),
];

const texts: readonly Samples[] = [
  samples(BuiltInType.String, 'String', unicodeText, 'plain', [
    '',
    null,
    unicodeText,
    'line\nbreak\ttab',
    '\u0000control',
    'x'.repeat(1000),
  ]),
  samples(BuiltInType.ByteString, 'ByteString', Buffer.from('00ff7f80', 'hex'), Buffer.from('bytes'), [
    Buffer.alloc(0),
    null,
    Buffer.of(0),
    Buffer.from('deadbeef', 'hex'),
    Buffer.from(unicodeText, 'utf8'),
    Buffer.alloc(1000, 0xa5),
  ]),
  samples(BuiltInType.XmlElement, 'XmlElement', '<ship name="Bulkhead"><deck>1</deck></ship>', '<empty/>', [
    '<a/>',
    null,
    `<t>${unicodeText}</t>`,
    '<n xmlns="urn:example"><m>&lt;&amp;</m></n>',
    '<a b="c"/>',
    '<!-- only a comment --><d/>',
  ]),
  samples(BuiltInType.LocalizedText, 'LocalizedText', new LocalizedText('Schott', 'de-DE'), new LocalizedText('bulkhead', 'en'), [
    new LocalizedText(null),
    new LocalizedText('', ''),
    new LocalizedText('without a locale'),
    new LocalizedText(null, 'fr'),
    new LocalizedText(unicodeText, 'zh-CN'),
    new LocalizedText('cloison étanche', 'fr-FR'),
  ]),
  samples(BuiltInType.QualifiedName, 'QualifiedName', new QualifiedName(2, 'Bulkhead'), new QualifiedName(0, 'EURange'), [
    QualifiedName.NULL,
    new QualifiedName(0, ''),
    new QualifiedName(1, 'One'),
    new QualifiedName(65_535, 'last index'),
    new QualifiedName(2, unicodeText),
    new QualifiedName(2, 'a:b/c.d'),
  ]),
];

const identifiers: readonly Samples[] = [
  samples(BuiltInType.Guid, 'Guid', '72962b91-fa75-4ae6-8d28-b404dc7daf63', '00112233-4455-6677-8899-aabbccddeeff', [
    NULL_GUID,
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '00112233-4455-6677-8899-aabbccddeeff',
    '12345678-9abc-def0-1234-56789abcdef0',
    '00000000-0000-0000-0000-000000000001',
    '80000000-0000-0000-0000-000000000000',
  ]),
  samples(BuiltInType.NodeId, 'NodeId', NodeId.string(2, 'Bulkhead'), NodeId.numeric(0, 85), [
    NodeId.NULL,
    NodeId.numeric(0, 255),
    NodeId.numeric(300, 4_294_967_295),
    NodeId.string(2, unicodeText),
    NodeId.guid(1, '72962b91-fa75-4ae6-8d28-b404dc7daf63'),
    NodeId.opaque(2, Buffer.from('0102030405', 'hex')),
  ]),
  samples(
    BuiltInType.ExpandedNodeId,
    'ExpandedNodeId',
    new ExpandedNodeId(NodeId.string(0, 'far away'), 'urn:example:other', 3),
    new ExpandedNodeId(NodeId.numeric(0, 2253)),
    [
      ExpandedNodeId.NULL,
      new ExpandedNodeId(NodeId.numeric(2, 70_000)),
      new ExpandedNodeId(NodeId.numeric(0, 5), 'urn:example:by-uri'),
      new ExpandedNodeId(NodeId.string(1, 'on another server'), undefined, 1),
      new ExpandedNodeId(NodeId.guid(2, '72962b91-fa75-4ae6-8d28-b404dc7daf63'), undefined, 4_294_967_295),
      new ExpandedNodeId(NodeId.opaque(2, Buffer.of(1, 2, 3))),
    ],
  ),
  samples(BuiltInType.StatusCode, 'StatusCode', StatusCodes.UncertainInitialValue, StatusCodes.BadNodeIdUnknown, [
    StatusCodes.Good,
    StatusCodes.BadUnexpectedError,
    StatusCodes.UncertainInitialValue,
    StatusCodes.GoodClamped,
    StatusCodes.BadTimeout,
    StatusCodes.GoodOverload,
  ]),
];

const others: readonly Samples[] = [
  samples(BuiltInType.Boolean, 'Boolean', true, false, [true, false, false, true, true, false]),
  samples(BuiltInType.DateTime, 'DateTime', DateTime.parse('2026-01-31T10:20:30.1234567Z'), DateTime.parse('1970-01-01T00:00:00Z'), [
    DateTime.MIN,
    DateTime.MAX,
    DateTime.parse('1969-12-31T23:59:59.9999999Z'),
    DateTime.parse('2000-02-29T12:00:00Z'),
    DateTime.parse('2038-01-19T03:14:08Z'),
    DateTime.parse('9999-12-31T23:59:58Z'),
  ]),
  samples(BuiltInType.ExtensionObject, 'Structure', range, unit, [
    range,
    unit,
    ExtensionObject.of(Range, Range.create({ low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY })),
    ExtensionObject.of(EUInformation, EUInformation.create({ displayName: new LocalizedText(unicodeText) })),
    ExtensionObject.of(Argument, Argument.create({ name: 'x', dataType: NodeId.numeric(0, 11), valueRank: 1, arrayDimensions: [0] })),
    range,
  ]),
];

/**
 * Every built-in type that a Variable's Value can have: not DataValue, DiagnosticInfo and, as a scalar, Variant.
 * OPC 10000-6 §5.2.2.16.
 */
export const concreteSamples: readonly Samples[] = [...numbers, ...texts, ...identifiers, ...others];

/** Variants of different types side by side: what only an array or matrix of BaseDataType may hold. */
export const variantElements: readonly Variant[] = [
  Variant.NULL,
  Variant.double(2.5),
  Variant.string(unicodeText),
  Variant.array(BuiltInType.Int32, [1, 2, 3]),
  Variant.matrix(BuiltInType.Byte, [1, 2, 3, 4], [2, 2]),
  Variant.scalar(BuiltInType.ExtensionObject, range),
];

/** Values for variables of an abstract DataType, by its BrowseName. */
export const abstractSamples: readonly Samples[] = [
  {
    type: BuiltInType.Variant,
    dataType: 'BaseDataType',
    scalar: Variant.string(unicodeText),
    otherScalar: Variant.double(-0.5),
    elements: variantElements,
  },
  samples(BuiltInType.Float, 'Number', 1.5, -2.5, [0, 1, 2, 3, 4.5, -5.25]),
  samples(BuiltInType.Int64, 'Integer', -5n, 6n, [-3n, -2n, -1n, 0n, 1n, 2n]),
  samples(BuiltInType.UInt16, 'UInteger', 65_535, 6, [0, 1, 2, 3, 4, 5]),
];
