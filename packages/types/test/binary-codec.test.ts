import fc from 'fast-check';
import { BinaryStream } from 'node-opcua-binary-stream';
import { describe, expect, it } from 'vitest';
import {
  BinaryReader,
  BinaryWriter,
  BuiltInType,
  DataValue,
  DateTime,
  DecodingError,
  decodeDataValue,
  decodeDiagnosticInfo,
  decodeExpandedNodeId,
  decodeExtensionObject,
  decodeGuid,
  decodeLocalizedText,
  decodeNodeId,
  decodeVariant,
  defaultEncodingLimits,
  ExpandedNodeId,
  encodeDateTime,
  encodeExpandedNodeId,
  encodeGuid,
  encodeLocalizedText,
  encodeNodeId,
  encodeVariant,
  LocalizedText,
  NodeId,
  StatusCodes,
  StringMemory,
  UaStatusError,
  Variant,
} from '../src/index.ts';
import { nodeIds, variants } from './arbitrary-values.ts';

describe('an array that is small on the wire', () => {
  it.each([
    ['ByteString', Variant.array(BuiltInType.ByteString, new Array(1000).fill(Buffer.alloc(0)))],
    ['DataValue', Variant.array(BuiltInType.DataValue, new Array(1000).fill(new DataValue()))],
    ['DiagnosticInfo', Variant.array(BuiltInType.DiagnosticInfo, new Array(1000).fill({}))],
  ])('takes no object for each empty %s', (_, array) => {
    const bytes = bytesOf((writer) => encodeVariant(writer, array));
    const elements = Array.from(decodeVariant(new BinaryReader(bytes)).elements ?? []);
    expect(elements).toHaveLength(1000);
    expect(new Set(elements).size).toBe(1);
  });

  it('takes the memory of flat strings for Guids', () => {
    const bytes = Buffer.alloc(16 * 20_000, 0xa5);
    const reader = new BinaryReader(bytes);
    const heapBytes = process.memoryUsage().heapUsed;
    const guids = Array.from({ length: 20_000 }, () => decodeGuid(reader));
    // 36 characters and a header are some 56 bytes.
    expect(process.memoryUsage().heapUsed - heapBytes).toBeLessThan(20_000 * 200);
    expect(new Set(guids)).toEqual(new Set(['a5a5a5a5-a5a5-a5a5-a5a5-a5a5a5a5a5a5']));
  });
});

function bytesOf(write: (writer: BinaryWriter) => void): Buffer {
  const writer = new BinaryWriter(8);
  write(writer);
  return Buffer.from(writer.toBuffer());
}

function hex(write: (writer: BinaryWriter) => void): string {
  return bytesOf(write).toString('hex');
}

function codeOf(run: () => unknown): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof UaStatusError) return error.statusCode;
    throw error;
  }
}

describe('built-in types in OPC UA Binary', () => {
  it('writes the examples of OPC 10000-6 §5.2.2 byte for byte', () => {
    expect(hex((w) => w.writeString('水Boy'))).toBe('06000000e6b0b4426f79');
    expect(hex((w) => encodeGuid(w, '72962b91-fa75-4ae6-8d28-b404dc7daf63'))).toBe('912b967275fae64a8d28b404dc7daf63');
    expect(hex((w) => encodeNodeId(w, NodeId.numeric(0, 72)))).toBe('0048');
    expect(hex((w) => encodeNodeId(w, NodeId.numeric(5, 1025)))).toBe('01050104');
    expect(hex((w) => encodeNodeId(w, NodeId.string(1, 'Hot水')))).toBe('03010006000000486f74e6b0b4');
    expect(hex((w) => w.writeFloat(-6.5))).toBe('0000d0c0');
  });

  it('leaves a null or empty locale or text of a LocalizedText out (OPC 10000-6 §5.2.2.14)', () => {
    const written = (text: string | null, locale: string | null): string =>
      hex((w) => encodeLocalizedText(w, new LocalizedText(text, locale)));
    expect(written('a', 'en')).toBe('0302000000656e0100000061');
    for (const nothing of [null, '']) {
      expect(written('a', nothing)).toBe('020100000061');
      expect(written(nothing, 'en')).toBe('0102000000656e');
      expect(written(nothing, nothing)).toBe('00');
    }
  });

  it('keeps null and empty apart for strings, byte strings and arrays', () => {
    for (const value of [null, '']) {
      expect(new BinaryReader(bytesOf((w) => w.writeString(value))).readString()).toBe(value);
    }
    expect(new BinaryReader(bytesOf((w) => w.writeByteString(null))).readByteString()).toBeNull();
    expect(new BinaryReader(bytesOf((w) => w.writeByteString(Buffer.alloc(0)))).readByteString()).toHaveLength(0);
    for (const value of [null, []]) {
      const decoded = decodeVariant(new BinaryReader(bytesOf((w) => encodeVariant(w, Variant.array(BuiltInType.Int32, value)))));
      expect(decoded.value).toEqual(value);
      expect(decoded.isArray).toBe(true);
    }
  });

  it('gives back every Variant it wrote, and the same bytes when it writes that again', () => {
    fc.assert(
      fc.property(variants, (variant) => {
        const bytes = bytesOf((w) => encodeVariant(w, variant));
        const reader = new BinaryReader(bytes);
        const decoded = decodeVariant(reader);
        expect(reader.remaining).toBe(0);
        expect(decoded.type).toBe(variant.type);
        expect(decoded.dimensions).toEqual(variant.dimensions);
        expect(bytesOf((w) => encodeVariant(w, decoded)).equals(bytes)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('decodes the values it encoded', () => {
    const values = [
      Variant.scalar(BuiltInType.Int64, -(2n ** 63n)),
      Variant.scalar(BuiltInType.UInt64, 2n ** 64n - 1n),
      Variant.array(BuiltInType.Double, [Number.NaN, Number.NEGATIVE_INFINITY, -0, 1e308]),
      Variant.matrix(BuiltInType.SByte, [-128, 127, 0, 1, 2, 3], [2, 3]),
      Variant.array(BuiltInType.Boolean, [true, false]),
    ];
    for (const value of values) {
      const decoded = decodeVariant(new BinaryReader(bytesOf((w) => encodeVariant(w, value))));
      expect(decoded).toEqual(value);
    }
  });

  it('accepts typed arrays for numeric arrays', () => {
    const decoded = decodeVariant(
      new BinaryReader(bytesOf((w) => encodeVariant(w, Variant.array(BuiltInType.Float, new Float32Array([1.5, -2]))))),
    );
    expect(decoded.value).toEqual([1.5, -2]);
  });

  it('ends in a value or a DecodingError for every prefix and every flipped bit', () => {
    fc.assert(
      fc.property(variants, fc.nat(), (variant, seed) => {
        const bytes = bytesOf((w) => encodeVariant(w, variant));
        const damaged = Buffer.from(bytes.subarray(0, 1 + (seed % bytes.length)));
        if (damaged.length > 0) damaged[seed % damaged.length] = (damaged[seed % damaged.length] as number) ^ (1 << (seed % 8));
        try {
          decodeVariant(new BinaryReader(damaged));
        } catch (error) {
          expect(error).toBeInstanceOf(DecodingError);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('strings that come again', () => {
  const memory = new StringMemory();

  it('are read as what they are, whatever was read before', () => {
    const texts = fc.array(fc.oneof(fc.string({ maxLength: 30 }), fc.string({ unit: 'binary', maxLength: 12 }), fc.constant(null)), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(texts, (values) => {
        const bytes = bytesOf((w) => {
          for (const value of [...values, ...values]) w.writeString(value);
        });
        const repeated = new BinaryReader(bytes);
        repeated.strings = memory;
        const plain = new BinaryReader(bytes);
        for (let i = 0; i < 2 * values.length; i++) expect(repeated.readRepeatedString()).toBe(plain.readString());
        expect(repeated.remaining).toBe(0);
      }),
    );
  });

  it('are bounded like any other', () => {
    const reader = new BinaryReader(
      bytesOf((w) => w.writeString('abcde')),
      { ...defaultEncodingLimits, maxStringBytes: 4 },
    );
    reader.strings = memory;
    expect(codeOf(() => reader.readRepeatedString())).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(codeOf(() => new BinaryReader(Buffer.from([3, 0, 0, 0, 65])).readRepeatedString())).toBe(StatusCodes.BadDecodingError);
    expect(codeOf(() => new BinaryReader(Buffer.from([0xfe, 0xff, 0xff, 0xff])).readRepeatedString())).toBe(StatusCodes.BadDecodingError);
  });
});

describe('NodeId text', () => {
  it('parses what it prints', () => {
    fc.assert(
      fc.property(nodeIds, (nodeId) => {
        expect(NodeId.parse(nodeId.toString()).equals(nodeId)).toBe(true);
        expect(NodeId.parse(nodeId.toString()).key).toBe(nodeId.key);
      }),
    );
  });

  it.each(['', 'i=', 'ns=70000;i=1', 'i=4294967296', 'g=12', 'ns=1', 'x=1', 'b=*'])('refuses %j', (text) => {
    expect(() => NodeId.parse(text)).toThrow(DecodingError);
  });
});

describe('ExpandedNodeId', () => {
  it('carries namespace URI and server index', () => {
    const value = new ExpandedNodeId(NodeId.string(0, 'a'), 'urn:x', 3);
    const decoded = decodeExpandedNodeId(new BinaryReader(bytesOf((w) => encodeExpandedNodeId(w, value))));
    expect(decoded.equals(value)).toBe(true);
    expect(decoded.toString()).toBe('svr=3;nsu=urn:x;s=a');
  });

  it('is not accepted where a NodeId is wanted', () => {
    const bytes = bytesOf((w) => encodeExpandedNodeId(w, new ExpandedNodeId(NodeId.numeric(0, 1), 'urn:x')));
    expect(codeOf(() => decodeNodeId(new BinaryReader(bytes)))).toBe(StatusCodes.BadDecodingError);
  });
});

describe('DateTime', () => {
  it('keeps 100 ns through the two halves on the wire', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2_650_467_743_989_999_999n }), (ticks) => {
        const value = DateTime.fromTicks(ticks);
        expect(value.toTicks()).toBe(ticks);
        const bytes = bytesOf((w) => encodeDateTime(w, value));
        expect(bytes.readBigInt64LE()).toBe(ticks);
        expect(DateTime.fromTickWords(bytes.readUInt32LE(4), bytes.readUInt32LE(0)).equals(value)).toBe(true);
        expect(DateTime.parse(value.toString()).equals(value)).toBe(true);
      }),
    );
  });

  it('saturates at both ends (OPC 10000-6 §5.2.2.5)', () => {
    expect(bytesOf((w) => encodeDateTime(w, DateTime.fromUnixMs(-1e15, 0))).readBigInt64LE()).toBe(0n);
    expect(bytesOf((w) => encodeDateTime(w, DateTime.fromUnixMs(253_402_300_799_000, 0))).readBigInt64LE()).toBe(0x7fffffffffffffffn);
    expect(DateTime.fromTickWords(0x7fffffff, 0xffffffff).equals(DateTime.MAX)).toBe(true);
    expect(DateTime.fromTickWords(0xffffffff, 0xffffffff).equals(DateTime.MIN)).toBe(true);
    expect(DateTime.MAX.toString()).toBe('9999-12-31T23:59:59.000Z');
  });
});

describe('decoding limits', () => {
  const limits = { maxStringBytes: 4, maxByteStringBytes: 4, maxArrayLength: 3, maxNestingLevel: 5 };
  const reader = (bytes: Buffer) => new BinaryReader(bytes, limits);

  it('takes a string, byte string and array at the limit and refuses one more', () => {
    expect(reader(bytesOf((w) => w.writeString('abcd'))).readString()).toBe('abcd');
    expect(codeOf(() => reader(bytesOf((w) => w.writeString('abcde'))).readString())).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(reader(bytesOf((w) => w.writeByteString(Buffer.alloc(4)))).readByteString()).toHaveLength(4);
    expect(codeOf(() => reader(bytesOf((w) => w.writeByteString(Buffer.alloc(5)))).readByteString())).toBe(
      StatusCodes.BadEncodingLimitsExceeded,
    );
    const array = (n: number) => bytesOf((w) => encodeVariant(w, Variant.array(BuiltInType.Byte, new Uint8Array(n))));
    expect(decodeVariant(reader(array(3))).value).toHaveLength(3);
    expect(codeOf(() => decodeVariant(reader(array(4))))).toBe(StatusCodes.BadEncodingLimitsExceeded);
  });

  it('takes Variants nested to the limit and refuses one deeper', () => {
    const nested = (depth: number): Variant => (depth === 0 ? Variant.int32(1) : Variant.array(BuiltInType.Variant, [nested(depth - 1)]));
    expect(decodeVariant(reader(bytesOf((w) => encodeVariant(w, nested(5))))).isArray).toBe(true);
    expect(codeOf(() => decodeVariant(reader(bytesOf((w) => encodeVariant(w, nested(6))))))).toBe(StatusCodes.BadEncodingLimitsExceeded);
  });

  it('supports the 100 levels that OPC 10000-6 §5.1.5 asks for and ends one deeper, whatever the types', () => {
    const levels = (count: number) => Buffer.concat([Buffer.alloc(count, 0x40), Buffer.from([0])]);
    expect(decodeDiagnosticInfo(new BinaryReader(levels(100)))).toBeDefined();
    expect(codeOf(() => decodeDiagnosticInfo(new BinaryReader(levels(102))))).toBe(StatusCodes.BadEncodingLimitsExceeded);
    const dataValues = Buffer.from('0117'.repeat(5000), 'hex');
    expect(codeOf(() => decodeDataValue(new BinaryReader(dataValues)))).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(defaultEncodingLimits.maxNestingLevel).toBe(100);
  });

  it('goes on counting levels inside an ExtensionObject that is decoded later', () => {
    const bytes = bytesOf((w) => {
      encodeNodeId(w, NodeId.numeric(0, 1));
      w.writeUInt8(1);
      w.writeByteString(Buffer.from([0x0c]));
    });
    const limited = new BinaryReader(bytes, { ...limits, maxNestingLevel: 0 });
    expect(codeOf(() => decodeExtensionObject(limited))).toBe(StatusCodes.BadEncodingLimitsExceeded);
  });

  it.each([
    ['string', Buffer.from([0xfe, 0xff, 0xff, 0xff]), (r: BinaryReader) => r.readString()],
    ['byte string', Buffer.from([0xfe, 0xff, 0xff, 0xff]), (r: BinaryReader) => r.readByteString()],
    ['string past the end', Buffer.from([3, 0, 0, 0, 65]), (r: BinaryReader) => r.readString()],
    ['array past the end', Buffer.from([0x8b, 2, 0, 0, 0, 1]), decodeVariant],
    ['dimensions that do not multiply', Buffer.from([0xc3, 1, 0, 0, 0, 7, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]), decodeVariant],
    ['dimensions without an array', Buffer.from([0x43, 1]), decodeVariant],
    ['an unknown Variant type', Buffer.from([0x3f, 1]), decodeVariant],
    ['an unknown NodeId form', Buffer.from([6, 1]), decodeNodeId],
    ['an unknown DataValue mask', Buffer.from([0x40]), decodeDataValue],
    ['an unknown LocalizedText mask', Buffer.from([4]), decodeLocalizedText],
    ['a short GUID', Buffer.alloc(15), decodeGuid],
  ] as const)('answers BadDecodingError to %s', (_name, bytes, decode) => {
    expect(codeOf(() => decode(new BinaryReader(bytes)))).toBe(StatusCodes.BadDecodingError);
  });

  it('never moves the cursor backwards', () => {
    const short = new BinaryReader(Buffer.alloc(10));
    expect(() => short.readBuffer(-3)).toThrow(DecodingError);
    expect(() => short.readArrayBuffer(-1)).toThrow(DecodingError);
    expect(() => short.readArrayBuffer(11)).toThrow(DecodingError);
    expect(short.length).toBe(0);
  });
});

describe('as a BinaryStream', () => {
  it('writes the same bytes and reads the same values as the base class', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 0, max: 255 }),
        fc.float({ noNaN: true }),
        fc.double({ noNaN: true }),
        fc.option(fc.string({ maxLength: 80 }), { nil: null }),
        (int32, byte, float, double, text) => {
          const base = new BinaryStream(2000);
          const ours = new BinaryWriter(4);
          for (const stream of [base, ours]) {
            stream.writeInteger(int32);
            stream.writeUInt8(byte);
            stream.writeInt8((byte << 24) >> 24);
            stream.writeUInt16(byte * 257);
            stream.writeInt16(((byte * 257) << 16) >> 16);
            stream.writeUInt32(int32 >>> 0);
            stream.writeFloat(float);
            stream.writeDouble(double);
            stream.writeString(text);
            stream.writeByteStream(Buffer.from([byte]));
          }
          const written = base.buffer.subarray(0, base.length);
          expect(ours.toBuffer().equals(written)).toBe(true);
          const reader: BinaryStream = new BinaryReader(written);
          base.rewind();
          for (const read of [
            'readInteger',
            'readUInt8',
            'readInt8',
            'readUInt16',
            'readInt16',
            'readUInt32',
            'readFloat',
            'readDouble',
            'readString',
            'readByteStream',
          ] as const) {
            expect(reader[read]()).toEqual(base[read]());
          }
        },
      ),
    );
  });
});

describe('BinaryWriter', () => {
  it('stops at maxBytes with BadEncodingLimitsExceeded', () => {
    const writer = new BinaryWriter(4, 0, 8);
    writer.writeDouble(1);
    expect(codeOf(() => writer.writeUInt8(1))).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(writer.length).toBe(8);
  });

  it('leaves room in front for headers', () => {
    const writer = new BinaryWriter(4, 24);
    writer.writeUInt32(0x01020304);
    expect(writer.toBuffer().subarray(24).toString('hex')).toBe('04030201');
  });
});

it('keeps both timestamps of a DataValue with their picoseconds', () => {
  const value = new DataValue(Variant.double(1), 0, DateTime.MIN, DateTime.MAX, 7, 9);
  const decoded = decodeDataValue(
    new BinaryReader(bytesOf((w) => encodeVariant(w, Variant.scalar(BuiltInType.DataValue, value))).subarray(1)),
  );
  expect(decoded).toEqual(value);
});
