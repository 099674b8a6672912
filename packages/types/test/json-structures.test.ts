import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allStructureTypes,
  BinaryReader,
  BinaryWriter,
  BuiltInType,
  createLogRecord,
  createReadRequest,
  createReadValueId,
  createRequestHeader,
  createResponseHeader,
  createServiceFault,
  DateTime,
  DecodingError,
  decodeJson,
  decodeJsonBuiltIn,
  decodeJsonRequest,
  decodeJsonResponse,
  encodeJson,
  encodeJsonMessage,
  type JsonContext,
  type JsonFlavour,
  LocalizedText,
  LogRecord,
  NodeId,
  parseJson,
  ReadRequest,
  ReadResponse,
  RequestHeader,
  ServiceFault,
  StatusCodes,
  type StructureType,
  TimestampsToReturn,
} from '../src/index.ts';
import { randomStructure, seededRandom } from './random-structure.ts';

const context: JsonContext = { namespaceUris: ['http://opcfoundation.org/UA/', 'urn:test:server'], serverUris: ['urn:test:server'] };
const flavours: readonly JsonFlavour[] = ['compact', 'verbose'];

function bytesOf(type: StructureType<unknown>, value: unknown): string {
  const writer = new BinaryWriter();
  type.encode(writer, value);
  return Buffer.from(writer.toBuffer()).toString('hex');
}

function text(type: StructureType<never>, value: unknown, flavour: JsonFlavour): unknown {
  return JSON.parse(JSON.stringify(encodeJson(type as StructureType<unknown>, value, flavour, context)));
}

/** The same after a trip through JSON text. */
function throughText(type: StructureType<unknown>, value: unknown, flavour: JsonFlavour): unknown {
  return decodeJson(type, parseJson(JSON.stringify(encodeJson(type, value, flavour, context))), context);
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

/** Structures with the fields of the examples in OPC 10000-6 §5.4.6 … §5.4.8; only JSON knows them. */
function exampleType(
  name: string,
  kind: StructureType<unknown>['kind'],
  fields: StructureType<unknown>['fields'],
): StructureType<Record<string, unknown>> {
  return {
    name,
    kind,
    fields,
    dataTypeId: 0,
    binaryEncodingId: 0,
    xmlEncodingId: 0,
    jsonEncodingId: 0,
    encode: () => undefined,
    decode: () => ({}),
    create: (init) => ({ ...init }) as Record<string, unknown>,
  };
}

const type2 = exampleType('Type2', 'structure', [
  { name: 'a', specName: 'A', type: BuiltInType.Int32, isArray: false },
  { name: 'b', specName: 'B', type: BuiltInType.Int32, isArray: false },
  { name: 'c', specName: 'C', type: BuiltInType.String, isArray: false },
]);
const type1 = exampleType('Type1', 'structure', [
  { name: 'x', specName: 'X', type: BuiltInType.Int32, isArray: false },
  { name: 'y', specName: 'Y', type: BuiltInType.ExtensionObject, structure: () => type2 as StructureType<unknown>, isArray: true },
  { name: 'z', specName: 'Z', type: BuiltInType.Int32, isArray: false },
]);
const typeA = exampleType('TypeA', 'optionalFields', [
  { name: 'x', specName: 'X', type: BuiltInType.Int32, isArray: false },
  { name: 'o1', specName: 'O1', type: BuiltInType.Int32, isArray: false, optional: true },
  { name: 'y', specName: 'Y', type: BuiltInType.SByte, isArray: false },
  { name: 'o2', specName: 'O2', type: BuiltInType.Int32, isArray: false, optional: true },
]);
const union1 = exampleType('Union1', 'union', [
  { name: 'a', specName: 'A', type: BuiltInType.Int32, isArray: false },
  { name: 'b', specName: 'B', type: BuiltInType.Double, isArray: false },
  { name: 'c', specName: 'C', type: BuiltInType.String, isArray: false },
]);
const grid = exampleType('Grid', 'structure', [
  { name: 'cells', specName: 'Cells', type: BuiltInType.Int32, isArray: true, dimensionCount: 2 },
]);

describe('the examples of OPC 10000-6 §5.4', () => {
  const value1 = {
    x: 1234,
    y: [
      { a: 1, b: 2, c: 'Hello' },
      { a: 3, b: 4, c: null },
    ],
    z: 5678,
  };
  it.each([
    [
      'compact',
      {
        X: 1234,
        Y: [
          { A: 1, B: 2, C: 'Hello' },
          { A: 3, B: 4 },
        ],
        Z: 5678,
      },
    ],
    [
      'verbose',
      {
        X: 1234,
        Y: [
          { A: 1, B: 2, C: 'Hello' },
          { A: 3, B: 4, C: null },
        ],
        Z: 5678,
      },
    ],
  ] as const)('are what %s structures look like (§5.4.6)', (flavour, json) => {
    expect(text(type1 as never, value1, flavour)).toEqual(json);
    expect(decodeJson(type1, json, context)).toEqual(value1);
  });

  it.each([
    ['compact', { EncodingMask: 2, X: 1, Y: 2 }],
    ['verbose', { X: 1, Y: 2, O2: 0 }],
  ] as const)('are what %s structures with optional fields look like (§5.4.7)', (flavour, json) => {
    const value = { x: 1, y: 2, o2: 0 };
    expect(text(typeA as never, value, flavour)).toEqual(json);
    expect(decodeJson(typeA, json, context)).toEqual(value);
  });

  it.each([
    ['compact', { SwitchField: 2, B: 2.75 }],
    ['verbose', { B: 2.75 }],
  ] as const)('are what %s unions look like (§5.4.8)', (flavour, json) => {
    const value = { switchField: 2, b: 2.75 };
    expect(text(union1 as never, value, flavour)).toEqual(json);
    expect(decodeJson(union1, json, context)).toEqual(value);
    expect(decodeJson(union1, { SwitchField: 2, Value: 2.75 }, context)).toEqual(value);
    expect(text(union1 as never, { switchField: 0 }, flavour)).toEqual({});
    expect(decodeJson(union1, {}, context)).toEqual({ switchField: 0 });
  });

  it('are what inline matrices look like (§5.4.5)', () => {
    const value = {
      cells: [
        [0, 2, 3],
        [1, 3, 4],
      ],
    };
    const json = { Cells: { Array: [0, 2, 3, 1, 3, 4], Dimensions: [2, 3] } };
    expect(text(grid as never, value, 'compact')).toEqual(json);
    expect(decodeJson(grid, json, context)).toEqual(value);
    expect(decodeJson(grid, { Cells: value.cells }, context)).toEqual(value);
    expect(errorOf(() => decodeJson(grid, { Cells: { Array: [1, 2], Dimensions: [2] } }, context)).message).toContain('$.Cells');
  });
});

describe('every generated structure in JSON', () => {
  it.each(flavours)('survives %s text with its defaults', (flavour) => {
    for (const type of allStructureTypes()) {
      const value = type.create();
      expect(bytesOf(type, throughText(type, value, flavour)), type.name).toBe(bytesOf(type, value));
    }
  });

  it.each(flavours)('survives %s text with random values in all fields', (flavour) => {
    const random = seededRandom(0x15_0e);
    for (const type of allStructureTypes()) {
      for (let round = 0; round < 8; round++) {
        // As it comes from the wire, so that what binary leaves out is left out here too.
        const value = type.decode(new BinaryReader(Buffer.from(bytesOf(type, randomStructure(type, random)), 'hex')));
        const decoded = throughText(type, value, flavour);
        expect(Object.keys(decoded as object), type.name).toEqual(Object.keys(value as object));
        expect(plainBytes(type, decoded), type.name).toBe(plainBytes(type, value));
      }
    }
  });

  it('has no member in verbose JSON that its descriptor lacks, and all that it has', () => {
    for (const type of allStructureTypes()) {
      if (type.kind !== 'structure') continue;
      const json = encodeJson(type, type.create(), 'verbose', context);
      expect(Object.keys(json), type.name).toEqual(type.fields.map((field) => field.specName));
    }
  });

  it('writes names of enumeration values in verbose JSON for all of its enumerations', () => {
    for (const type of allStructureTypes()) {
      for (const field of type.fields) {
        if (field.enumeration === undefined || field.isArray || field.optional === true || type.kind !== 'structure') continue;
        const json = encodeJson(type, type.create(), 'verbose', context);
        expect(json[field.specName], `${type.name}.${field.specName}`).toMatch(/^\w+_-?\d+$/u);
      }
    }
  });
});

/** Differences that JSON doesn't keep: a null name in a namespace other than 0 is an empty one. */
function plainBytes(type: StructureType<unknown>, value: unknown): string {
  return bytesOf(type, value).replaceAll(/(0[1-9]00)ffffffff/gu, '$100000000');
}

describe('enumerations in JSON', () => {
  const request = createReadRequest({ timestampsToReturn: TimestampsToReturn.Both });

  it('are numbers in compact and names with numbers in verbose JSON', () => {
    expect(text(ReadRequest as never, request, 'compact')).toMatchObject({ TimestampsToReturn: 2 });
    expect(text(ReadRequest as never, request, 'verbose')).toMatchObject({ TimestampsToReturn: 'Both_2' });
    const unknown = { ...request, timestampsToReturn: 77 as never };
    expect(text(ReadRequest as never, unknown, 'verbose')).toMatchObject({ TimestampsToReturn: '77' });
  });

  it.each([2, 'Both_2', '2', 'Any_Name_2'])('are read from %j', (json) => {
    expect(decodeJson(ReadRequest, { TimestampsToReturn: json }, context).timestampsToReturn).toBe(2);
  });

  it.each(['Both', 'Both_', '2.5', 2.5, 'X_99999999999', true])('are not read from %j', (json) => {
    expect(errorOf(() => decodeJson(ReadRequest, { TimestampsToReturn: json }, context)).message).toContain('$.TimestampsToReturn');
  });
});

describe('optional fields and unions in JSON', () => {
  it('tell a field that is not there from one with its default value', () => {
    const value = createLogRecord({ severity: 100, sourceName: null, message: new LocalizedText('hi') });
    for (const flavour of flavours) {
      const decoded = decodeJson(LogRecord, parseJson(JSON.stringify(encodeJson(LogRecord, value, flavour, context))), context);
      expect(decoded.sourceName).toBeNull();
      expect(decoded.sourceNode).toBeUndefined();
    }
  });

  it.each([
    [typeA, { EncodingMask: 4 }],
    [typeA, { EncodingMask: -1 }],
    [union1, { SwitchField: 4, A: 1 }],
    [union1, { A: 1, B: 2 }],
    [union1, { A: 'x' }],
  ] as const)('are refused when they contradict themselves', (type, json) => {
    expect(errorOf(() => decodeJson(type, json, context)).statusCode).toBe(StatusCodes.BadDecodingError);
  });
});

describe('a JSON message (OPC 10000-6 §5.4.9)', () => {
  const request = createReadRequest({
    requestHeader: createRequestHeader({ requestHandle: 42, timestamp: DateTime.fromUnixMs(0) }),
    nodesToRead: [createReadValueId({ nodeId: NodeId.numeric(1, 5), attributeId: 13 })],
  });

  it('has the NodeId of its DataType among its fields', () => {
    expect(encodeJsonMessage(ReadRequest, request, 'compact', context)).toEqual({
      UaTypeId: 'i=629',
      RequestHeader: { Timestamp: '1970-01-01T00:00:00Z', RequestHandle: 42 },
      NodesToRead: [{ NodeId: 'nsu=urn:test:server;i=5', AttributeId: 13 }],
    });
  });

  it.each(flavours)('gives its header before its body (%s)', (flavour) => {
    const json = parseJson(JSON.stringify(encodeJsonMessage(ReadRequest, request, flavour, context)));
    const decoded = decodeJsonRequest(json, context);
    expect(decoded.type).toBe(ReadRequest);
    expect(decoded.header).toEqual(request.requestHeader);
    expect(decoded.decode()).toEqual(request);
  });

  it('has a header even when its body is malformed or its type unknown', () => {
    const malformed = decodeJsonRequest(
      { UaTypeId: 'i=629', RequestHeader: { RequestHandle: 7 }, NodesToRead: [{ AttributeId: 'x' }] },
      context,
    );
    expect(malformed.header.requestHandle).toBe(7);
    expect(errorOf(() => malformed.decode()).message).toBe('$.NodesToRead[0].AttributeId: not an integer');
    const unknown = decodeJsonRequest({ UaTypeId: 'i=99999', RequestHeader: { RequestHandle: 8 } }, context);
    expect([unknown.type, unknown.header.requestHandle]).toEqual([undefined, 8]);
    expect(decodeJsonRequest({ UaTypeId: 'i=626', RequestHeader: {} }, context).type).toBeUndefined();
  });

  it('may leave out its type when the URL says it, but may not be of another one', () => {
    expect(decodeJsonRequest({ RequestHeader: { RequestHandle: 7 } }, context, ReadRequest as never).type).toBe(ReadRequest);
    expect(() => decodeJsonRequest({ UaTypeId: 'i=671' }, context, ReadRequest as never)).toThrow(DecodingError);
  });

  it('is read in older forms', () => {
    const body = { RequestHeader: { RequestHandle: 7 }, MaxAge: 5 };
    for (const json of [
      { UaTypeId: 'i=629', UaBody: body },
      { TypeId: { Id: 629 }, Body: body },
      { TypeId: { Id: 631 }, Body: body },
    ]) {
      const decoded = decodeJsonRequest(json, context);
      expect([decoded.type, decoded.header.requestHandle, (decoded.decode() as { maxAge: number }).maxAge]).toEqual([ReadRequest, 7, 5]);
    }
  });

  it('drops an AdditionalHeader that nobody knows', () => {
    const header = { RequestHandle: 7, AdditionalHeader: { UaTypeId: 'nsu=urn:x;i=1', Vendor: 1 } };
    expect(decodeJsonRequest({ UaTypeId: 'i=629', RequestHeader: header }, context).header.additionalHeader.isNull).toBe(true);
    expect(() => decodeJson(RequestHeader, header, context)).toThrow(DecodingError);
  });

  it('of SessionlessInvoke brings its own tables for indexes', () => {
    const json = {
      UaTypeId: 'i=15901',
      NamespaceUris: ['urn:client', 'urn:test:server'],
      ServiceId: 629,
      Body: {
        RequestHeader: { RequestHandle: 7 },
        NodesToRead: [{ NodeId: 'ns=2;i=5' }, { NodeId: 'nsu=urn:test:server;i=6' }, { NodeId: 'ns=1;i=7' }],
      },
    };
    const decoded = decodeJsonRequest(json, context);
    expect([decoded.type, decoded.header.requestHandle, decoded.sessionless?.serviceId]).toEqual([ReadRequest, 7, 629]);
    const { nodesToRead } = decoded.decode() as typeof request;
    const unknown = NodeId.string(0, 'ns=1;i=7');
    expect(nodesToRead?.map((node) => node.nodeId)).toEqual([NodeId.numeric(1, 5), NodeId.numeric(1, 6), unknown]);
    const byVersion = decodeJsonRequest({ ...json, UrisVersion: 3 }, context);
    expect((byVersion.decode() as typeof request).nodesToRead?.[0]?.nodeId).toEqual(NodeId.numeric(2, 5));
  });

  it('that is a response is read whole, a fault in place of the expected one too', () => {
    const fault = createServiceFault({ responseHeader: createResponseHeader({ serviceResult: StatusCodes.BadServiceUnsupported }) });
    const json = parseJson(JSON.stringify(encodeJsonMessage(ServiceFault, fault, 'verbose', context)));
    expect(decodeJsonResponse(json, context, ReadResponse as never)).toEqual({ type: ServiceFault, response: fault });
    expect(() => decodeJsonResponse({ UaTypeId: 'i=629' }, context)).toThrow(DecodingError);
  });
});

describe('hostile JSON', () => {
  it('sets no prototype and no global', () => {
    const json = parseJson(
      '{"UaTypeId":"i=629","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"RequestHeader":{"__proto__":{"RequestHandle":9}}}',
    );
    const decoded = decodeJsonRequest(json, context);
    expect(decoded.header.requestHandle).toBe(0);
    expect(Object.getPrototypeOf(decoded.decode())).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const odd = exampleType('Odd', 'structure', [{ name: '__proto__', specName: '__proto__', type: BuiltInType.Int32, isArray: false }]);
    const value = decodeJson(odd, JSON.parse('{"__proto__":5}'), context);
    expect([Object.getPrototypeOf(value), Object.hasOwn(value, '__proto__')]).toEqual([Object.prototype, true]);
  });

  it('is refused before it is parsed when it is too deep', () => {
    expect(errorOf(() => parseJson('['.repeat(1_000_000))).statusCode).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(errorOf(() => parseJson('{"a":'.repeat(1_000_000))).statusCode).toBe(StatusCodes.BadEncodingLimitsExceeded);
    expect(parseJson(`${'['.repeat(400)}"[[[\\""${']'.repeat(400)}`)).toBeInstanceOf(Array);
  });

  it.each(['', '{', 'nan', '"abc', '{"a":1,"a":2}', '[{"b":{"a":1,"\\u0061":2}}]', '{"a":1}}', '\u0000'])('is refused: %j', (json) => {
    expect(errorOf(() => parseJson(json)).statusCode).toBe(StatusCodes.BadDecodingError);
  });

  it('is refused when its bytes are not UTF-8', () => {
    expect(errorOf(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).statusCode).toBe(StatusCodes.BadDecodingError);
    expect(parseJson(Buffer.from('{"a":"€:{"}'))).toEqual({ a: '€:{' });
  });

  it('ends in a value or a DecodingError, whatever the type', () => {
    const types = allStructureTypes();
    const names = [...new Set(types.flatMap((type) => type.fields.map((field) => field.specName)))];
    const keys = fc.oneof(
      fc.constantFrom(...names),
      fc.constantFrom('UaTypeId', 'UaType', 'Value', 'Dimensions', 'UaBody', '__proto__', 'SwitchField'),
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom('i=629', 'i=626', 'nsu=urn:test:server;s=x', '2026-01-01T00:00:00Z', 6, 24, 22),
        fc.dictionary(keys, tie('value'), { maxKeys: 6 }),
        fc.array(tie('value'), { maxLength: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.constantFrom(...types), json, (type, value) => void endsWell(() => decodeJson(type, value, context))),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 25 }),
        json,
        (type, value) => void endsWell(() => decodeJsonBuiltIn(type as BuiltInType, value, context)),
      ),
      { numRuns: 500 },
    );
  });

  it('of another member order or with broken pieces of real messages ends in a value or a DecodingError', () => {
    const random = seededRandom(0xdead);
    for (const type of allStructureTypes()) {
      const whole = encodeJson(type, randomStructure(type, random), random(2) === 0 ? 'compact' : 'verbose', context);
      for (let round = 0; round < 4; round++) endsWell(() => decodeJson(type, mutated(JSON.parse(JSON.stringify(whole)), random), context));
    }
  });

  const corpus = process.env['TEST_CORPUS'];
  it.skipIf(corpus === undefined || corpus === '')('of the corpus ends in a value or a DecodingError', () => {
    const folder = join(corpus ?? '', 'json');
    expect(existsSync(folder)).toBe(true);
    const types = allStructureTypes();
    let parsed = 0;
    for (const fileName of readdirSync(folder)) {
      let json: unknown;
      if (!endsWell(() => (json = parseJson(readFileSync(join(folder, fileName)))))) continue;
      parsed++;
      for (let type = 0; type <= 25; type++) endsWell(() => decodeJsonBuiltIn(type as BuiltInType, json, context));
      for (const type of types) endsWell(() => decodeJson(type, json, context));
      endsWell(() => decodeJsonRequest(json, context).decode());
      endsWell(() => decodeJsonResponse(json, context));
    }
    expect(parsed).toBeGreaterThan(50);
  });
});

/** True for a value, false for a DecodingError; anything else is thrown on. */
function endsWell(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof DecodingError) return false;
    throw error;
  }
}

/** The value with one place of it replaced. */
function mutated(json: unknown, random: (limit: number) => number): unknown {
  const replacements = [null, true, -1, 1e300, '', 'x_5', 'nsu=;i=5', [], [[]], {}, { UaType: 6, Value: [] }, { Code: 5 }];
  if (typeof json !== 'object' || json === null || random(4) === 0) return replacements[random(replacements.length)];
  const keys = Object.keys(json);
  if (keys.length === 0) return replacements[random(replacements.length)];
  const key = keys[random(keys.length)] as never;
  (json as Record<string, unknown>)[key] = mutated((json as Record<string, unknown>)[key], random);
  return json;
}
