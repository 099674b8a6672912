import fc from 'fast-check';
import {
  BuiltInType,
  DataValue,
  DateTime,
  type DiagnosticInfo,
  ExpandedNodeId,
  ExtensionObject,
  LocalizedText,
  NodeId,
  QualifiedName,
  Variant,
} from '../src/index.ts';

const text = fc.string({ unit: 'binary', maxLength: 60 });
const nullableText = fc.option(text, { nil: null, freq: 6 });
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const uint16 = fc.integer({ min: 0, max: 0xffff });
const uint32 = fc.integer({ min: 0, max: 0xffffffff });

export const dateTimes: fc.Arbitrary<DateTime> = fc.bigInt({ min: 0n, max: 0x7fffffffffffffffn }).map((ticks) => DateTime.fromTicks(ticks));

export const nodeIds: fc.Arbitrary<NodeId> = fc.oneof(
  fc.tuple(uint16, uint32).map(([ns, id]) => NodeId.numeric(ns, id)),
  fc.tuple(uint16, text).map(([ns, id]) => NodeId.string(ns, id)),
  fc.tuple(uint16, fc.uuid()).map(([ns, id]) => NodeId.guid(ns, id)),
  fc.tuple(uint16, bytes).map(([ns, id]) => NodeId.opaque(ns, id)),
);

const expandedNodeIds = fc
  .tuple(nodeIds, fc.option(text, { nil: undefined }), uint32)
  .map(([nodeId, uri, server]) => new ExpandedNodeId(nodeId, uri, server));

const extensionObjects = fc.oneof(
  fc.constant(ExtensionObject.NULL),
  fc.tuple(nodeIds, fc.oneof(bytes, text)).map(([typeId, body]) => new ExtensionObject(typeId, body)),
);

const diagnosticInfos: fc.Arbitrary<DiagnosticInfo> = fc.letrec<{ info: DiagnosticInfo }>((tie) => ({
  info: fc.record(
    {
      symbolicId: fc.integer(),
      namespaceUri: fc.integer(),
      locale: fc.integer(),
      localizedText: fc.integer(),
      additionalInfo: nullableText,
      innerStatusCode: uint32,
      innerDiagnosticInfo: fc
        .option(
          fc.constant(null).chain(() => tie('info')),
          { nil: undefined, depthSize: 'small' },
        )
        .map((inner) => (inner && Object.keys(inner).length > 0 ? inner : { symbolicId: 1 })),
    },
    { requiredKeys: [] },
  ),
})).info;

const picoseconds = fc.integer({ min: 0, max: 9999 });

export const variants: fc.Arbitrary<Variant> = fc.letrec<{ variant: Variant; dataValue: DataValue }>((tie) => {
  const scalars: readonly (readonly [BuiltInType, fc.Arbitrary<unknown>])[] = [
    [BuiltInType.Boolean, fc.boolean()],
    [BuiltInType.SByte, fc.integer({ min: -128, max: 127 })],
    [BuiltInType.Byte, fc.integer({ min: 0, max: 255 })],
    [BuiltInType.Int16, fc.integer({ min: -32768, max: 32767 })],
    [BuiltInType.UInt16, uint16],
    [BuiltInType.Int32, fc.integer()],
    [BuiltInType.UInt32, uint32],
    [BuiltInType.Int64, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
    [BuiltInType.UInt64, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })],
    [BuiltInType.Float, fc.float()],
    [BuiltInType.Double, fc.double()],
    [BuiltInType.String, nullableText],
    [BuiltInType.DateTime, dateTimes],
    [BuiltInType.Guid, fc.uuid()],
    [BuiltInType.ByteString, fc.option(bytes, { nil: null })],
    [BuiltInType.XmlElement, nullableText],
    [BuiltInType.NodeId, nodeIds],
    [BuiltInType.ExpandedNodeId, expandedNodeIds],
    [BuiltInType.StatusCode, uint32],
    [BuiltInType.QualifiedName, fc.tuple(uint16, nullableText).map(([ns, name]) => new QualifiedName(ns, name))],
    // An empty text or locale comes back as null.
    [BuiltInType.LocalizedText, fc.tuple(nullableText, nullableText).map(([t, l]) => new LocalizedText(t || null, l || null))],
    [BuiltInType.ExtensionObject, extensionObjects],
    [BuiltInType.DataValue, tie('dataValue')],
    [BuiltInType.DiagnosticInfo, diagnosticInfos],
  ];
  const scalar = scalars.map(([type, value]) => value.map((v) => Variant.scalar(type, v as never)));
  const array = scalars.map(([type, value]) =>
    fc.option(fc.array(value, { maxLength: 6 }), { nil: null, freq: 8 }).map((v) => Variant.array(type, v as never)),
  );
  const matrix = scalars.map(([type, value]) =>
    fc
      .array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 3 })
      .chain((dims) =>
        fc
          .array(value, { minLength: dims.reduce((a, b) => a * b, 1), maxLength: dims.reduce((a, b) => a * b, 1) })
          .map((v) => Variant.matrix(type, v as never, dims)),
      ),
  );
  return {
    variant: fc.oneof({ depthSize: 'small' }, fc.constant(Variant.NULL), ...scalar, ...array, ...matrix),
    dataValue: fc
      .record({
        value: fc.option(tie('variant'), { nil: undefined }),
        status: uint32,
        source: fc.option(dateTimes, { nil: undefined }),
        server: fc.option(dateTimes, { nil: undefined }),
        sourcePico: picoseconds,
        serverPico: picoseconds,
      })
      .map((v) => new DataValue(v.value, v.status, v.source, v.server, v.sourcePico, v.serverPico)),
  };
}).variant;
