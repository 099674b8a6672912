import { Certificate, CertificateRevocationList, parseCertificateChain } from '@bulkhead/security';
import {
  allStructureTypes,
  BinaryReader,
  DateTime,
  decodeDataValue,
  decodeDateTime,
  decodeDiagnosticInfo,
  decodeExpandedNodeId,
  decodeExtensionObject,
  decodeGuid,
  decodeLocalizedText,
  decodeNodeId,
  decodeQualifiedName,
  decodeVariant,
  NodeId,
  parseNumericRange,
  QualifiedName,
  structureTypeByEncodingId,
  UaStatusError,
} from '@bulkhead/types';
import { ChunkFramer, decodeAcknowledge, decodeErrorMessage, decodeHello, decodeReverseHello } from '@bulkhead/uacp';
import { describe, expect, it } from 'vitest';
import { seedFiles } from './seed-files.ts';

const MAX_MS = 50;
/** A machine that is busy with something else gets another chance; a slow decoder is slow each time. */
const ATTEMPTS = 4;

type Decoder = (bytes: Buffer) => unknown;

const reading =
  (decode: (reader: BinaryReader) => unknown): Decoder =>
  (bytes) =>
    decode(new BinaryReader(bytes));

/** A message body: the type id says which structure follows. */
function decodeMessage(bytes: Buffer): unknown {
  const reader = new BinaryReader(bytes);
  const typeId = decodeNodeId(reader);
  const type = typeof typeId.identifier === 'number' ? structureTypeByEncodingId(typeId.identifier) : undefined;
  return type?.decode(reader);
}

function frameChunks(bytes: Buffer): number {
  const framer = new ChunkFramer(65_536);
  framer.push(bytes);
  let count = 0;
  while (framer.next() !== undefined) count++;
  return count;
}

const decoders: Readonly<Record<string, Decoder>> = {
  Variant: reading(decodeVariant),
  DataValue: reading(decodeDataValue),
  ExtensionObject: reading(decodeExtensionObject),
  DiagnosticInfo: reading(decodeDiagnosticInfo),
  NodeId: reading(decodeNodeId),
  ExpandedNodeId: reading(decodeExpandedNodeId),
  QualifiedName: reading(decodeQualifiedName),
  LocalizedText: reading(decodeLocalizedText),
  DateTime: reading(decodeDateTime),
  Guid: reading(decodeGuid),
  message: decodeMessage,
  chunks: frameChunks,
  Hello: decodeHello,
  Acknowledge: decodeAcknowledge,
  Error: decodeErrorMessage,
  ReverseHello: decodeReverseHello,
  certificate: (bytes) => Certificate.parse(bytes),
  certificateChain: (bytes) => parseCertificateChain(bytes),
  certificateRevocationList: (bytes) => CertificateRevocationList.parse(bytes),
  'NodeId text': (bytes) => NodeId.parse(bytes.toString('utf8')),
  'NumericRange text': (bytes) => parseNumericRange(bytes.toString('utf8')),
  'QualifiedName text': (bytes) => QualifiedName.parse(bytes.toString('utf8')),
  'DateTime text': (bytes) => DateTime.parse(bytes.toString('utf8')),
};

/** Runs the decoder until it was quick enough; returns the last duration. Anything but a status code error is a fault. */
function run(decode: Decoder, bytes: Buffer): number {
  let tookMs = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const startMs = performance.now();
    try {
      decode(bytes);
    } catch (error) {
      if (!(error instanceof UaStatusError)) throw error;
    }
    tookMs = performance.now() - startMs;
    if (tookMs < MAX_MS) break;
  }
  return tookMs;
}

describe('every decoder, fed every seed, ends with a value or a status code within 50 ms', () => {
  const seeds = seedFiles();

  it('has seeds', () => {
    expect(seeds.length).toBeGreaterThan(20);
  });

  it.each(Object.keys(decoders))('%s', (name) => {
    const decode = decoders[name] as Decoder;
    for (const seed of seeds) expect(run(decode, seed.bytes), seed.name).toBeLessThan(MAX_MS);
  });

  it('every structure', () => {
    for (const type of allStructureTypes()) {
      for (const seed of seeds) {
        if (seed.bytes.length < 4096) run((bytes) => type.decode(new BinaryReader(bytes)), seed.bytes);
      }
    }
  });
});
