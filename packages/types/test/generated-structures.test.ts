import { describe, expect, it } from 'vitest';
import { BinaryReader } from '../src/binary-reader.ts';
import { BinaryWriter } from '../src/binary-writer.ts';
import { DateTime } from '../src/date-time.ts';
import * as generated from '../src/generated/index.ts';
import { LocalizedText } from '../src/localized-text.ts';
import { NodeId } from '../src/node-id.ts';
import type { RequestType, ResponseType, StructureType } from '../src/structure-type.ts';
import { DecodingError } from '../src/ua-status-error.ts';
import { randomStructure, seededRandom } from './random-structure.ts';

const { allStructureTypes, AttributeIds, StatusCodes, TimestampsToReturn } = generated;

function encodeWith(write: (writer: BinaryWriter) => void): Buffer {
  const writer = new BinaryWriter();
  write(writer);
  return Buffer.from(writer.toBuffer());
}

function encode<T>(type: StructureType<T>, value: T): Buffer {
  return encodeWith((writer) => type.encode(writer, value));
}

/** Decodes bytes that must hold exactly one value. */
function decode<T>(type: StructureType<T>, bytes: Buffer): T {
  const reader = new BinaryReader(bytes);
  const value = type.decode(reader);
  expect(reader.remaining, `bytes left after ${type.name}`).toBe(0);
  return value;
}

function hex(text: string): Buffer {
  return Buffer.from(text.replaceAll(/\s/gu, ''), 'hex');
}

describe('every generated structure', () => {
  it('survives the wire with its defaults', () => {
    for (const type of allStructureTypes()) {
      const value = type.create();
      const bytes = encode(type, value);
      const decoded = decode(type, bytes);
      expect(decoded, type.name).toEqual(value);
      expect(encode(type, decoded).equals(bytes), type.name).toBe(true);
    }
  });

  it('survives the wire with random values in all fields', () => {
    const random = seededRandom(0x0b5e55ed);
    for (const type of allStructureTypes()) {
      for (let round = 0; round < 8; round++) {
        const value = randomStructure(type, random);
        const bytes = encode(type, value);
        const decoded = decode(type, bytes);
        expect(decoded, type.name).toEqual(value);
        expect(encode(type, decoded).equals(bytes), type.name).toBe(true);
      }
    }
  });

  it('throws a DecodingError for every cut through its bytes', () => {
    const random = seededRandom(7);
    for (const type of allStructureTypes()) {
      const bytes = encode(type, randomStructure(type, random));
      for (let length = 0; length < bytes.length; length += 1 + random(5)) {
        expect(() => type.decode(new BinaryReader(bytes.subarray(0, length))), `${type.name} cut at ${length}`).toThrow(DecodingError);
      }
    }
  });

  it('has a descriptor whose fields are the properties of its values', () => {
    for (const type of allStructureTypes()) {
      const expected = type.fields.map((field) => field.name);
      if (type.kind === 'union') expected.unshift('switchField');
      expect(Object.keys(type.create() as object), type.name).toEqual(expected);
      expect(Object.keys(decode(type, encode(type, type.create())) as object), type.name).toEqual(expected);
    }
  });

  it('is found by its ids and its name', () => {
    for (const type of allStructureTypes()) {
      expect(generated.structureTypeByEncodingId(type.binaryEncodingId)).toBe(type);
      expect(generated.structureTypeByDataTypeId(type.dataTypeId)).toBe(type);
      expect(generated.structureTypeByName(type.name)).toBe(type);
    }
    expect(generated.structureTypeByEncodingId(629)).toBeUndefined();
  });

  // Elements with defaults are as short as elements can be, so a bound that is too high would refuse them.
  it('can fill an array to the last byte of a message', () => {
    const functions = new Map<string, unknown>(Object.entries(generated));
    let arrays = 0;
    for (const type of allStructureTypes()) {
      const decodeArray = functions.get(`decode${type.name}Array`) as ((reader: BinaryReader) => unknown[] | null) | undefined;
      const encodeArray = functions.get(`encode${type.name}Array`) as ((writer: BinaryWriter, items: unknown[]) => void) | undefined;
      if (decodeArray === undefined || encodeArray === undefined) continue;
      arrays++;
      const items = [type.create(), type.create(), type.create()];
      expect(decodeArray(new BinaryReader(encodeWith((writer) => encodeArray(writer, items)))), type.name).toEqual(items);
      expect(() => decodeArray(new BinaryReader(hex('ffffff7f'))), type.name).toThrow(DecodingError);
    }
    expect(arrays).toBeGreaterThan(70);
  });
});

describe('every generated message', () => {
  const random = seededRandom(99);

  it('decodes a request after its header like the whole', () => {
    const requests = allStructureTypes().filter(
      (type): type is RequestType<{ requestHeader: generated.RequestHeader }> => 'decodeBody' in type,
    );
    expect(requests.length).toBeGreaterThan(35);
    for (const type of requests) {
      const value = randomStructure(type, random);
      const reader = new BinaryReader(encode(type, value));
      expect(type.decodeBody(reader, generated.decodeRequestHeader(reader)), type.name).toEqual(value);
      expect(reader.remaining).toBe(0);
    }
  });

  it('encodes a response after its header like the whole', () => {
    const responses = allStructureTypes().filter(
      (type): type is ResponseType<{ responseHeader: generated.ResponseHeader }> => 'encodeBody' in type,
    );
    expect(responses.length).toBeGreaterThan(35);
    for (const type of responses) {
      const value = randomStructure(type, random);
      const apart = encodeWith((writer) => {
        generated.encodeResponseHeader(writer, value.responseHeader);
        type.encodeBody(writer, value);
      });
      expect(apart.equals(encode(type, value)), type.name).toBe(true);
    }
  });
});

describe('bytes derived by hand from OPC 10000-6 §5.2', () => {
  it('ReadRequest for the CurrentTime of the server', () => {
    const request = generated.createReadRequest({
      requestHeader: generated.createRequestHeader({ requestHandle: 1, timeoutHint: 5000 }),
      timestampsToReturn: TimestampsToReturn.Both,
      nodesToRead: [
        generated.createReadValueId({
          nodeId: NodeId.numeric(0, generated.VariableIds.Server_ServerStatus_CurrentTime),
          attributeId: AttributeIds.Value,
        }),
      ],
    });
    const expected = hex(`
      0000 0000000000000000 01000000 00000000 ffffffff 88130000 000000
      0000000000000000 02000000 01000000
      0100d208 0d000000 ffffffff 0000ffffffff`);
    expect(encode(generated.ReadRequest, request).toString('hex')).toBe(expected.toString('hex'));
    expect(decode(generated.ReadRequest, expected)).toEqual(request);
  });

  it('ServiceFault with a StatusCode and a time', () => {
    const fault = generated.createServiceFault({
      responseHeader: generated.createResponseHeader({
        timestamp: DateTime.fromTicks(116444736000000000n),
        requestHandle: 7,
        serviceResult: StatusCodes.BadServiceUnsupported,
      }),
    });
    const expected = hex('00803ed5deb19d01 07000000 00000b80 00 ffffffff 000000');
    expect(encode(generated.ServiceFault, fault).toString('hex')).toBe(expected.toString('hex'));
    expect(decode(generated.ServiceFault, expected)).toEqual(fault);
  });

  it('LogRecord with one of its optional fields', () => {
    const record = generated.createLogRecord({ severity: 100, sourceName: 'a', message: new LocalizedText('hi') });
    const expected = hex('04000000 0000000000000000 6400 0100000061 02020000006869');
    expect(encode(generated.LogRecord, record).toString('hex')).toBe(expected.toString('hex'));
    expect(decode(generated.LogRecord, expected)).toEqual(record);
  });

  it('LogRecord whose mask has an unassigned bit is malformed', () => {
    const bytes = hex('20000000 0000000000000000 6400 02020000006869');
    expect(() => generated.LogRecord.decode(new BinaryReader(bytes))).toThrow(DecodingError);
  });
});

describe('generated constants', () => {
  it('number the Attributes from NodeId to AccessLevelEx', () => {
    expect([AttributeIds.NodeId, AttributeIds.Value, AttributeIds.UserExecutable, AttributeIds.AccessLevelEx]).toEqual([1, 13, 22, 27]);
    expect(Object.keys(AttributeIds)).toHaveLength(27);
  });

  it('find the text of a StatusCode whatever its info bits', () => {
    expect(StatusCodes.BadNodeIdUnknown).toBe(0x80340000);
    expect(generated.statusCodeEntry(StatusCodes.BadNodeIdUnknown)?.name).toBe('BadNodeIdUnknown');
    expect(generated.statusCodeEntry(0x0000_0480)?.name).toBe('Good');
    expect(generated.statusCodeEntry(0x8fff_0000)).toBeUndefined();
  });

  it('name bits of option sets by their masks', () => {
    expect(generated.AccessLevelType.HistoryRead).toBe(0x04);
    expect(generated.PermissionType.Call).toBe(0x1000);
    expect(generated.NodeClass.View).toBe(128);
  });
});
