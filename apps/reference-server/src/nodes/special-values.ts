import {
  BuiltInType,
  DateTime,
  ExpandedNodeId,
  ExtensionObject,
  LocalizedText,
  NodeId,
  NULL_GUID,
  QualifiedName,
  StatusCodes,
  Variant,
} from '@bulkhead/types';
import { unicodeText } from './sample-values.ts';

/** A value that clients and codecs tend to get wrong. */
export interface SpecialValue {
  /** Last part of the NodeId: `s=Special.<name>`. */
  readonly name: string;
  readonly dataType: string;
  readonly value: Variant;
}

const LONG_TEXT_LENGTH = 100_000;
const LONG_BYTES = 300_000;
const LONG_ARRAY_LENGTH = 20_000;

function special(name: string, dataType: string, value: Variant): SpecialValue {
  return { name, dataType, value };
}

const numbers: readonly SpecialValue[] = [
  special('Double.NaN', 'Double', Variant.double(Number.NaN)),
  special('Double.Infinity', 'Double', Variant.double(Number.POSITIVE_INFINITY)),
  special('Double.MinusInfinity', 'Double', Variant.double(Number.NEGATIVE_INFINITY)),
  special('Double.MinusZero', 'Double', Variant.double(-0)),
  special('Double.Smallest', 'Double', Variant.double(Number.MIN_VALUE)),
  special('Double.Largest', 'Double', Variant.double(Number.MAX_VALUE)),
  special('Float.NaN', 'Float', Variant.scalar(BuiltInType.Float, Number.NaN)),
  special('Float.MinusInfinity', 'Float', Variant.scalar(BuiltInType.Float, Number.NEGATIVE_INFINITY)),
  special('Int64.Smallest', 'Int64', Variant.scalar(BuiltInType.Int64, -(2n ** 63n))),
  special('Int64.Largest', 'Int64', Variant.scalar(BuiltInType.Int64, 2n ** 63n - 1n)),
  special('UInt64.Largest', 'UInt64', Variant.scalar(BuiltInType.UInt64, 2n ** 64n - 1n)),
  special('StatusCode.Unknown', 'StatusCode', Variant.scalar(BuiltInType.StatusCode, 0xffff_ffff)),
];

const texts: readonly SpecialValue[] = [
  special('String.Null', 'String', Variant.string(null)),
  special('String.Empty', 'String', Variant.string('')),
  special('String.Unicode', 'String', Variant.string(unicodeText)),
  special('String.LoneSurrogate', 'String', Variant.string('\ud83d')),
  special('String.Long', 'String', Variant.string('0123456789'.repeat(LONG_TEXT_LENGTH / 10))),
  special('ByteString.Null', 'ByteString', Variant.scalar(BuiltInType.ByteString, null)),
  special('ByteString.Empty', 'ByteString', Variant.scalar(BuiltInType.ByteString, Buffer.alloc(0))),
  special('ByteString.Long', 'ByteString', Variant.scalar(BuiltInType.ByteString, Buffer.alloc(LONG_BYTES, 0x5a))),
  special('XmlElement.Null', 'XmlElement', Variant.scalar(BuiltInType.XmlElement, null)),
  special('LocalizedText.Null', 'LocalizedText', Variant.scalar(BuiltInType.LocalizedText, LocalizedText.NULL)),
  special('LocalizedText.Empty', 'LocalizedText', Variant.scalar(BuiltInType.LocalizedText, new LocalizedText('', ''))),
  special('QualifiedName.Null', 'QualifiedName', Variant.scalar(BuiltInType.QualifiedName, QualifiedName.NULL)),
];

const others: readonly SpecialValue[] = [
  special('Guid.Null', 'Guid', Variant.scalar(BuiltInType.Guid, NULL_GUID)),
  special('NodeId.Null', 'NodeId', Variant.scalar(BuiltInType.NodeId, NodeId.NULL)),
  special('ExpandedNodeId.Null', 'ExpandedNodeId', Variant.scalar(BuiltInType.ExpandedNodeId, ExpandedNodeId.NULL)),
  special('DateTime.Smallest', 'DateTime', Variant.scalar(BuiltInType.DateTime, DateTime.MIN)),
  special('DateTime.Largest', 'DateTime', Variant.scalar(BuiltInType.DateTime, DateTime.MAX)),
  special('DateTime.100ns', 'DateTime', Variant.scalar(BuiltInType.DateTime, DateTime.parse('2026-01-31T23:59:59.9999999Z'))),
  special(
    'Structure.Unknown',
    'Structure',
    Variant.scalar(BuiltInType.ExtensionObject, opaque(Buffer.from('of a type that nobody knows'))),
  ),
  special('Structure.Xml', 'Structure', Variant.scalar(BuiltInType.ExtensionObject, opaque('<of><xml/></of>'))),
  special('Structure.NoBody', 'Structure', Variant.scalar(BuiltInType.ExtensionObject, opaque(undefined))),
  special('Null', 'BaseDataType', Variant.NULL),
  special('Array.StructureNull', 'Structure', Variant.array(BuiltInType.ExtensionObject, [ExtensionObject.NULL, ExtensionObject.NULL])),
  special(
    'Array.Long',
    'Double',
    Variant.array(
      BuiltInType.Double,
      Float64Array.from({ length: LONG_ARRAY_LENGTH }, (_, i) => i / 8),
    ),
  ),
  special('Matrix.ThreeDimensions', 'Int32', Variant.matrix(BuiltInType.Int32, [111, 112, 121, 122, 211, 212, 221, 222], [2, 2, 2])),
  special('Matrix.Empty', 'Int32', Variant.matrix(BuiltInType.Int32, [], [0, 3])),
];

export const specialValues: readonly SpecialValue[] = [...numbers, ...texts, ...others];

/** Values that are not good, by the last part of the NodeId: `s=Status.<name>`. */
export const specialStatuses: Readonly<Record<string, number>> = {
  Bad: StatusCodes.Bad,
  BadSensorFailure: StatusCodes.BadSensorFailure,
  BadCommunicationError: StatusCodes.BadCommunicationError,
  Uncertain: StatusCodes.Uncertain,
  UncertainLastUsableValue: StatusCodes.UncertainLastUsableValue,
  GoodLocalOverride: StatusCodes.GoodLocalOverride,
  GoodClamped: StatusCodes.GoodClamped,
};

function opaque(body: Uint8Array | string | undefined): ExtensionObject {
  return new ExtensionObject(NodeId.numeric(2, 65_000), body);
}
