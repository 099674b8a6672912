import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BinaryWriter,
  BuiltInType,
  createReadValueId,
  DataValue,
  DateTime,
  DecodingError,
  decodeJsonBuiltIn,
  ExpandedNodeId,
  ExtensionObject,
  encodeJsonBuiltIn,
  type JsonContext,
  type JsonFlavour,
  LocalizedText,
  NodeId,
  parseJson,
  QualifiedName,
  ReadValueId,
  StatusCodes,
  Variant,
} from '../src/index.ts';
import { variants } from './arbitrary-values.ts';

const context: JsonContext = {
  namespaceUris: ['http://opcfoundation.org/UA/', 'urn:test:server', 'http://test.org/a;b%/'],
  serverUris: ['urn:test:server', 'urn:other;server'],
};
const flavours: readonly JsonFlavour[] = ['compact', 'verbose'];

function encode<T extends BuiltInType>(
  type: T,
  value: Parameters<typeof encodeJsonBuiltIn<T>>[1],
  flavour: JsonFlavour = 'compact',
): unknown {
  const text = JSON.stringify(encodeJsonBuiltIn(type, value, flavour, context));
  return JSON.parse(text);
}

function decode<T extends BuiltInType>(type: T, json: unknown, limits?: JsonContext['limits']): unknown {
  return decodeJsonBuiltIn(type, json, { ...context, limits });
}

function errorOf(run: () => unknown): DecodingError {
  try {
    run();
  } catch (error) {
    if (error instanceof DecodingError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('built-in types in JSON (OPC 10000-6 §5.4.2)', () => {
  it.each<[string, BuiltInType, unknown, unknown]>([
    ['Boolean', BuiltInType.Boolean, true, true],
    ['Int32', BuiltInType.Int32, -5, -5],
    ['Int64 as a string', BuiltInType.Int64, -(2n ** 63n), '-9223372036854775808'],
    ['UInt64 as a string', BuiltInType.UInt64, 2n ** 64n - 1n, '18446744073709551615'],
    ['Double', BuiltInType.Double, 2.75, 2.75],
    ['infinity', BuiltInType.Float, Number.POSITIVE_INFINITY, 'Infinity'],
    ['negative infinity', BuiltInType.Double, Number.NEGATIVE_INFINITY, '-Infinity'],
    ['no number', BuiltInType.Double, Number.NaN, 'NaN'],
    ['an empty String', BuiltInType.String, '', ''],
    ['a null String', BuiltInType.String, null, null],
    ['DateTime with 100 ns', BuiltInType.DateTime, DateTime.fromUnixMs(1_780_999_436_202, 249), '2026-06-09T10:03:56.2020249Z'],
    ['DateTime without a fraction', BuiltInType.DateTime, DateTime.fromUnixMs(1_234_567_000), '1970-01-15T06:56:07Z'],
    ['the last DateTime', BuiltInType.DateTime, DateTime.MAX, '9999-12-31T23:59:59Z'],
    ['Guid', BuiltInType.Guid, '72962b91-fa75-4ae6-8d28-b404dc7daf63', '72962b91-fa75-4ae6-8d28-b404dc7daf63'],
    ['ByteString', BuiltInType.ByteString, Buffer.from('asdfasdf'), 'YXNkZmFzZGY='],
    ['an empty ByteString', BuiltInType.ByteString, Buffer.alloc(0), ''],
    ['XmlElement', BuiltInType.XmlElement, '<a/>', '<a/>'],
    ['NodeId of OPC UA', BuiltInType.NodeId, NodeId.numeric(0, 2253), 'i=2253'],
    ['NodeId with a URI', BuiltInType.NodeId, NodeId.string(1, 'a;b=c'), 'nsu=urn:test:server;s=a;b=c'],
    ['NodeId whose URI is escaped', BuiltInType.NodeId, NodeId.numeric(2, 7), 'nsu=http://test.org/a%3Bb%25/;i=7'],
    ['NodeId whose namespace has no URI', BuiltInType.NodeId, NodeId.numeric(9, 7), 'ns=9;i=7'],
    ['opaque NodeId', BuiltInType.NodeId, NodeId.opaque(0, Buffer.from('asdf')), 'b=YXNkZg=='],
    ['ExpandedNodeId', BuiltInType.ExpandedNodeId, new ExpandedNodeId(NodeId.numeric(1, 3)), 'nsu=urn:test:server;i=3'],
    ['ExpandedNodeId with an unknown URI', BuiltInType.ExpandedNodeId, new ExpandedNodeId(NodeId.numeric(0, 3), 'urn:x'), 'nsu=urn:x;i=3'],
    [
      'ExpandedNodeId of another server',
      BuiltInType.ExpandedNodeId,
      new ExpandedNodeId(NodeId.numeric(0, 3), 'urn:x', 1),
      'svu=urn:other%3Bserver;nsu=urn:x;i=3',
    ],
    [
      'ExpandedNodeId of an unknown server',
      BuiltInType.ExpandedNodeId,
      new ExpandedNodeId(NodeId.numeric(0, 3), undefined, 8),
      'svr=8;i=3',
    ],
    ['Good', BuiltInType.StatusCode, 0, {}],
    ['QualifiedName of OPC UA', BuiltInType.QualifiedName, new QualifiedName(0, 'Server'), 'Server'],
    ['QualifiedName with a URI', BuiltInType.QualifiedName, new QualifiedName(1, 'a:b'), 'nsu=urn:test:server;a:b'],
    ['QualifiedName whose namespace has no URI', BuiltInType.QualifiedName, new QualifiedName(7, 'Temperature'), '7:Temperature'],
    ['QualifiedName that looks as if it had an index', BuiltInType.QualifiedName, new QualifiedName(0, '7:x'), '0:7:x'],
    ['LocalizedText', BuiltInType.LocalizedText, new LocalizedText('Hello', 'en-US'), { Locale: 'en-US', Text: 'Hello' }],
    ['LocalizedText without locale', BuiltInType.LocalizedText, new LocalizedText('Hello'), { Text: 'Hello' }],
    ['Variant', BuiltInType.Variant, Variant.double(1.5), { UaType: 11, Value: 1.5 }],
    ['Variant of a null String', BuiltInType.Variant, Variant.string(null), { UaType: 12 }],
    ['Variant of a null array', BuiltInType.Variant, Variant.array(BuiltInType.Int32, null), { UaType: 6, Value: null }],
    ['array', BuiltInType.Variant, Variant.array(BuiltInType.String, ['a', null]), { UaType: 12, Value: ['a', null] }],
    [
      'matrix',
      BuiltInType.Variant,
      Variant.matrix(BuiltInType.Int32, [1, 2, 3, 4, 5, 6], [2, 3]),
      { UaType: 6, Value: [1, 2, 3, 4, 5, 6], Dimensions: [2, 3] },
    ],
    [
      'Variants in a Variant',
      BuiltInType.Variant,
      Variant.array(BuiltInType.Variant, [Variant.int32(1), Variant.NULL]),
      { UaType: 24, Value: [{ UaType: 6, Value: 1 }, null] },
    ],
    [
      'DataValue',
      BuiltInType.DataValue,
      new DataValue(Variant.boolean(true), 0x80340000, DateTime.fromUnixMs(0), undefined, 10),
      { UaType: 1, Value: true, Status: { Code: 0x80340000 }, SourceTimestamp: '1970-01-01T00:00:00Z', SourcePicoseconds: 10 },
    ],
    [
      'DiagnosticInfo',
      BuiltInType.DiagnosticInfo,
      { symbolicId: 13, additionalInfo: 'x', innerDiagnosticInfo: { locale: 0 } },
      { SymbolicId: 13, AdditionalInfo: 'x', InnerDiagnosticInfo: { Locale: 0 } },
    ],
  ])('writes and reads %s', (_, type, value, json) => {
    expect(encode(type, value as never)).toEqual(json);
    expect(decode(type, json)).toEqual(value);
  });

  it('writes the symbol of a StatusCode in verbose JSON only', () => {
    expect(encode(BuiltInType.StatusCode, StatusCodes.BadInvalidArgument, 'verbose')).toEqual({
      Code: 0x80ab0000,
      Symbol: 'BadInvalidArgument',
    });
    expect(encode(BuiltInType.StatusCode, StatusCodes.BadInvalidArgument)).toEqual({ Code: 0x80ab0000 });
    expect(encode(BuiltInType.StatusCode, 0x80ab0480, 'verbose')).toEqual({ Code: 0x80ab0480, Symbol: 'BadInvalidArgument' });
    expect(encode(BuiltInType.StatusCode, 0x8fff0000, 'verbose')).toEqual({ Code: 0x8fff0000 });
  });

  it('writes a structure in an ExtensionObject with the NodeId of its DataType', () => {
    const value = createReadValueId({ nodeId: NodeId.numeric(0, 2253), attributeId: 13 });
    const json = { UaTypeId: 'i=626', NodeId: 'i=2253', AttributeId: 13 };
    expect(encode(BuiltInType.ExtensionObject, ExtensionObject.of(ReadValueId, value))).toEqual(json);
    const decoded = decode(BuiltInType.ExtensionObject, json) as ExtensionObject;
    expect(decoded.decode(ReadValueId)).toEqual(value);
    expect(encode(BuiltInType.ExtensionObject, decoded, 'verbose')).toEqual({ ...json, IndexRange: null, DataEncoding: null });
  });

  it('writes a structure that came as bytes like one that is a value', () => {
    const writer = new BinaryWriter();
    ReadValueId.encode(writer, createReadValueId({ attributeId: 13 }));
    const object = new ExtensionObject(NodeId.numeric(0, ReadValueId.binaryEncodingId), Buffer.from(writer.toBuffer()));
    expect(encode(BuiltInType.ExtensionObject, object)).toEqual({ UaTypeId: 'i=626', AttributeId: 13 });
    const broken = new ExtensionObject(object.typeId, Buffer.from([1, 2]));
    expect(encode(BuiltInType.ExtensionObject, broken)).toEqual({ UaTypeId: 'i=628', UaEncoding: 1, UaBody: 'AQI=' });
  });

  it.each([
    [
      'binary',
      new ExtensionObject(NodeId.numeric(1, 5), Buffer.from('ab')),
      { UaTypeId: 'nsu=urn:test:server;i=5', UaEncoding: 1, UaBody: 'YWI=' },
    ],
    ['XML', new ExtensionObject(NodeId.numeric(1, 5), '<a/>'), { UaTypeId: 'nsu=urn:test:server;i=5', UaEncoding: 2, UaBody: 'PGEvPg==' }],
    ['no', new ExtensionObject(NodeId.numeric(1, 5), undefined), { UaTypeId: 'nsu=urn:test:server;i=5' }],
  ])('keeps an ExtensionObject of an unknown type with a %s body', (_, object, json) => {
    expect(encode(BuiltInType.ExtensionObject, object)).toEqual(json);
    expect(decode(BuiltInType.ExtensionObject, json)).toEqual(object);
  });

  it('keeps the text of names whose namespace or server is unknown', () => {
    expect(decode(BuiltInType.NodeId, 'nsu=urn:none;i=5')).toEqual(NodeId.string(0, 'nsu=urn:none;i=5'));
    expect(decode(BuiltInType.QualifiedName, 'nsu=urn:none;x')).toEqual(new QualifiedName(0, 'nsu=urn:none;x'));
    expect(decode(BuiltInType.ExpandedNodeId, 'svu=urn:none;i=5')).toEqual(new ExpandedNodeId(NodeId.string(0, 'svu=urn:none;i=5')));
    expect(decode(BuiltInType.NodeId, 'nsu=http://opcfoundation.org/UA/;i=5')).toEqual(NodeId.numeric(0, 5));
  });

  it('takes instants beyond its range as its ends', () => {
    expect(decode(BuiltInType.DateTime, '0001-01-01T00:00:00Z')).toBe(DateTime.MIN);
    expect(decode(BuiltInType.DateTime, '1500-01-01T00:00:00.5Z')).toBe(DateTime.MIN);
    expect(decode(BuiltInType.DateTime, '9999-12-31T23:59:59.9999999Z')).toBe(DateTime.MAX);
    expect(decode(BuiltInType.DateTime, '2026-01-01T01:00:00+01:00')).toEqual(decode(BuiltInType.DateTime, '2026-01-01T00:00:00Z'));
    expect(decode(BuiltInType.DateTime, '2026-03-01T00:30:00-01:00')).toEqual(decode(BuiltInType.DateTime, '2026-03-01T01:30:00Z'));
    expect(decode(BuiltInType.DateTime, '1601-01-01T00:00:00.0000001Z')).toEqual(DateTime.fromTicks(1n));
    expect(decode(BuiltInType.DateTime, '1600-02-29T00:00:00Z')).toBe(DateTime.MIN);
    expect(encode(BuiltInType.DateTime, DateTime.MIN)).toBeNull();
  });

  it.each([
    [BuiltInType.NodeId, { IdType: 1, Id: 'test', Namespace: 1 }, NodeId.string(1, 'test')],
    [BuiltInType.NodeId, { Id: 42, Namespace: 'urn:none' }, NodeId.string(0, 'nsu=urn:none;i=42')],
    [BuiltInType.NodeId, { IdType: 2, Id: '00000001-0002-0003-0405-060708090A0B' }, NodeId.guid(0, '00000001-0002-0003-0405-060708090a0b')],
    [BuiltInType.ExpandedNodeId, { Id: 42, Namespace: 'urn:x', ServerUri: 13 }, new ExpandedNodeId(NodeId.numeric(0, 42), 'urn:x', 13)],
    [BuiltInType.QualifiedName, { Name: 'derName', Uri: 1 }, new QualifiedName(1, 'derName')],
    [BuiltInType.StatusCode, 2153250816, 2153250816],
    [BuiltInType.LocalizedText, 'plain', new LocalizedText('plain')],
    [BuiltInType.Variant, { Type: 12, Body: ['a', 'b'] }, Variant.array(BuiltInType.String, ['a', 'b'])],
    [BuiltInType.DataValue, { Value: { Type: 1, Body: true }, Status: 2153250816 }, new DataValue(Variant.boolean(true), 2153250816)],
    [BuiltInType.ExtensionObject, { TypeId: { Id: 42 }, Encoding: 2, Body: '<a/>' }, new ExtensionObject(NodeId.numeric(0, 42), '<a/>')],
  ])('reads the older encoding of type %i: %j', (type, json, value) => {
    expect(decode(type, json)).toEqual(value);
  });

  it.each<[BuiltInType, unknown]>([
    [BuiltInType.Boolean, 1],
    [BuiltInType.Byte, 256],
    [BuiltInType.SByte, -129],
    [BuiltInType.UInt16, 65536],
    [BuiltInType.Int16, 1.5],
    [BuiltInType.Int32, 2147483648],
    [BuiltInType.Int32, '5'],
    [BuiltInType.UInt32, -1],
    [BuiltInType.Int64, '9223372036854775808'],
    [BuiltInType.Int64, 2 ** 53],
    [BuiltInType.UInt64, '-1'],
    [BuiltInType.UInt64, '18446744073709551616'],
    [BuiltInType.Float, 1e39],
    [BuiltInType.Double, Number.POSITIVE_INFINITY],
    [BuiltInType.Double, 'infinity'],
    [BuiltInType.String, 5],
    [BuiltInType.String, {}],
    [BuiltInType.DateTime, '2026-02-29T00:00:00Z'],
    [BuiltInType.DateTime, '0001-13-01T00:00:00Z'],
    [BuiltInType.DateTime, '2026-01-01'],
    [BuiltInType.DateTime, '2026-01-01T24:00:00Z'],
    [BuiltInType.DateTime, 'May 1'],
    [BuiltInType.Guid, '00000001-00'],
    [BuiltInType.ByteString, 'a'],
    [BuiltInType.ByteString, 'a*bc'],
    [BuiltInType.NodeId, 'x=5'],
    [BuiltInType.NodeId, 'i=4294967296'],
    [BuiltInType.NodeId, 'ns=65536;i=1'],
    [BuiltInType.NodeId, 'nsu=%;i=1'],
    [BuiltInType.NodeId, { IdType: 7, Id: 1 }],
    [BuiltInType.NodeId, []],
    [BuiltInType.StatusCode, { Code: 2 ** 32 }],
    [BuiltInType.QualifiedName, '99999:x'],
    [BuiltInType.LocalizedText, 5],
    [BuiltInType.ExtensionObject, { UaTypeId: 'ns=5;i=1', X: 1 }],
    [BuiltInType.ExtensionObject, { UaTypeId: 'i=626', UaEncoding: 3 }],
    [BuiltInType.Variant, 5],
    [BuiltInType.Variant, { UaType: 26, Value: 1 }],
    [BuiltInType.Variant, { UaType: 6, Value: [1, 'x'] }],
    [BuiltInType.Variant, { UaType: 6, Value: [1, 2], Dimensions: [2, 2] }],
    [BuiltInType.Variant, { UaType: 6, Value: [[1], [2]] }],
  ])('refuses type %i as %j', (type, json) => {
    expect(errorOf(() => decode(type, json)).statusCode).toBe(StatusCodes.BadDecodingError);
  });

  it('names the place of what it refuses', () => {
    const json = {
      UaType: 24,
      Value: [
        { UaType: 6, Value: 1 },
        { UaType: 21, Value: { Text: 5 } },
      ],
    };
    expect(errorOf(() => decode(BuiltInType.Variant, json)).message).toBe('$.Value[1].Value.Text: not a string');
  });

  it('takes no object for each empty element of an array', () => {
    for (const type of [BuiltInType.DataValue, BuiltInType.DiagnosticInfo, BuiltInType.ExtensionObject, BuiltInType.Variant]) {
      for (const empty of [null, {}]) {
        const array = decode(BuiltInType.Variant, { UaType: type, Value: [empty, empty, empty] }) as Variant;
        expect(new Set(Array.from(array.elements ?? [])).size).toBe(1);
      }
    }
  });

  it('keeps to the limits of a decoder', () => {
    const limits = { maxStringBytes: 6, maxByteStringBytes: 4, maxArrayLength: 3, maxNestingLevel: 3 };
    const exceeded = (type: BuiltInType, json: unknown): number => errorOf(() => decode(type, json, limits)).statusCode;
    expect(decode(BuiltInType.String, '€€', limits)).toBe('€€');
    expect(exceeded(BuiltInType.String, '€€€')).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(exceeded(BuiltInType.NodeId, 's=abcdefgh')).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(exceeded(BuiltInType.ByteString, 'AAAAAAAAAAAA')).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(exceeded(BuiltInType.Variant, { UaType: 6, Value: [1, 2, 3, 4] })).toBe(StatusCodes.BadEncodingLimitsExceeded);
    let nested: unknown = null;
    for (let level = 0; level < 4; level++) nested = { UaType: 24, Value: [nested] };
    expect(exceeded(BuiltInType.Variant, nested)).toBe(StatusCodes.BadEncodingLimitsExceeded);
    let info: unknown = null;
    for (let level = 0; level < 4; level++) info = { InnerDiagnosticInfo: info };
    expect(exceeded(BuiltInType.DiagnosticInfo, info)).toBe(StatusCodes.BadEncodingLimitsExceeded);
  });

  it.each(flavours)('gives back every Variant that it wrote in %s JSON', (flavour) => {
    fc.assert(
      fc.property(variants, (variant) => {
        const json = parseJson(JSON.stringify(encodeJsonBuiltIn(BuiltInType.Variant, variant, flavour, context)));
        expect(plain(decode(BuiltInType.Variant, json))).toEqual(plain(variant));
      }),
    );
  });
});

/** What two Variants that JSON can't tell apart have in common. */
function plain(value: unknown): unknown {
  if (value instanceof Variant) {
    if (value.type === BuiltInType.Null) return null;
    const isNullArray = value.isArray && value.value === null && value.type >= BuiltInType.String && value.type !== BuiltInType.StatusCode;
    const elements = value.elements;
    // A null array of a nullable type comes back as its null scalar.
    const scalar = isNullArray ? decode(value.type, null) : value.value;
    const inner =
      elements === undefined ? elementOf(value.type, scalar) : Array.from(elements, (element) => elementOf(value.type, element));
    return { type: value.type, value: inner, isArray: value.isArray && !isNullArray, dimensions: value.dimensions };
  }
  return value;
}

function elementOf(type: BuiltInType, value: unknown): unknown {
  if (value === null || value === undefined) return type === BuiltInType.DiagnosticInfo ? null : value;
  switch (type) {
    case BuiltInType.Float:
    case BuiltInType.Double:
      return Object.is(value, -0) ? 0 : value;
    case BuiltInType.QualifiedName: {
      const name = value as QualifiedName;
      return name.namespaceIndex === 0 ? name : new QualifiedName(name.namespaceIndex, name.name ?? '');
    }
    case BuiltInType.ExpandedNodeId: {
      const id = value as ExpandedNodeId;
      // A URI counts instead of an index, and an index of another server's node becomes a URI.
      const { namespaceIndex } = id.nodeId;
      const uri = id.namespaceUri || (namespaceIndex === 0 ? undefined : context.namespaceUris[namespaceIndex]);
      const text = id.nodeId.toString();
      return `${id.serverIndex} ${uri ?? ''} ${uri === undefined ? text : text.replace(/^ns=\d+;/u, '')}`;
    }
    case BuiltInType.DataValue: {
      const data = value as DataValue;
      const source = data.sourceTimestamp?.equals(DateTime.MIN) ? undefined : data.sourceTimestamp;
      const server = data.serverTimestamp?.equals(DateTime.MIN) ? undefined : data.serverTimestamp;
      return [plain(data.value ?? Variant.NULL), data.statusCode, source, server, data.sourcePicoseconds, data.serverPicoseconds];
    }
    case BuiltInType.DiagnosticInfo:
      return plainInfo(value as Record<string, unknown>);
    default:
      return value;
  }
}

function plainInfo(info: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(info).filter(
    ([name, value]) => value !== null && value !== -1 && !(name === 'innerStatusCode' && value === 0),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'innerDiagnosticInfo' ? plainInfo(value as Record<string, unknown>) : value]),
  );
}
