import {
  AdditionalParametersType,
  BinaryReader,
  BinaryWriter,
  BuiltInType,
  decodeExtensionObject,
  ExtensionObject,
  encodeExtensionObject,
  QualifiedName,
  ResponseHeader,
  Variant,
} from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import {
  MAX_RETRY_AFTER_MS,
  retryAfterOfAdditionalHeader,
  retryAfterOfDiagnostics,
  retryAfterOfHttpHeader,
  retryAfterOfReason,
  retryAfterOfResponse,
} from '../src/index.ts';

function headerWith(value: Variant, name = 'RetryAfterMs'): ResponseHeader {
  const writer = new BinaryWriter();
  encodeExtensionObject(writer, ExtensionObject.of(AdditionalParametersType, { parameters: [{ key: new QualifiedName(0, name), value }] }));
  // As it comes from the wire.
  return ResponseHeader.create({ additionalHeader: decodeExtensionObject(new BinaryReader(writer.toBuffer())) });
}

describe('retry-after hints', () => {
  it('CL-02 RL-08 reads RetryAfterMs from the additionalHeader', () => {
    expect(retryAfterOfAdditionalHeader(headerWith(Variant.scalar(BuiltInType.Int64, 1500n)))).toBe(1500);
    expect(retryAfterOfAdditionalHeader(headerWith(Variant.uint32(20)))).toBe(20);
    expect(retryAfterOfAdditionalHeader(headerWith(Variant.scalar(BuiltInType.Int64, 1500n), 'Other'))).toBeUndefined();
    expect(retryAfterOfAdditionalHeader(headerWith(Variant.string('1500')))).toBeUndefined();
    expect(retryAfterOfAdditionalHeader(ResponseHeader.create())).toBeUndefined();
  });

  it('CL-02 reads the token in the reason of an ERR message', () => {
    expect(retryAfterOfReason('too busy; RetryAfterMs=250')).toBe(250);
    expect(retryAfterOfReason('RetryAfterMs=250, 3 of 3')).toBe(250);
    for (const text of ['', 'RetryAfterMs=', 'RetryAfterMs=-5', 'RetryAfterMs=5s', 'NoRetryAfterMs=5', 'RetryAfterMs=1.5']) {
      expect(retryAfterOfReason(text), text).toBeUndefined();
    }
  });

  it('CL-02 reads the token in AdditionalInfo, also of inner diagnostics, when there is nothing better', () => {
    const diagnostics = { innerDiagnosticInfo: { additionalInfo: 'RetryAfterMs=70' } };
    expect(retryAfterOfDiagnostics(diagnostics)).toBe(70);
    expect(retryAfterOfDiagnostics(null)).toBeUndefined();
    expect(retryAfterOfResponse(ResponseHeader.create({ serviceDiagnostics: diagnostics }))).toBe(70);
    const both = { ...headerWith(Variant.scalar(BuiltInType.Int64, 10n)), serviceDiagnostics: diagnostics };
    expect(retryAfterOfResponse(both)).toBe(10);
  });

  it('CL-02 reads the Retry-After of HTTP in seconds and as a date', () => {
    expect(retryAfterOfHttpHeader('3', 0)).toBe(3000);
    expect(retryAfterOfHttpHeader('Wed, 21 Oct 2015 07:28:00 GMT', Date.UTC(2015, 9, 21, 7, 27, 30))).toBe(30_000);
    expect(retryAfterOfHttpHeader('Wed, 21 Oct 2015 07:28:00 GMT', Date.UTC(2016, 0, 1))).toBe(0);
    expect(retryAfterOfHttpHeader('soon', 0)).toBeUndefined();
  });

  it('CL-02 lets no server put a client out of action for good', () => {
    expect(retryAfterOfReason('RetryAfterMs=9999999999999999')).toBe(MAX_RETRY_AFTER_MS);
    expect(retryAfterOfAdditionalHeader(headerWith(Variant.scalar(BuiltInType.Int64, 2n ** 62n)))).toBe(MAX_RETRY_AFTER_MS);
    expect(retryAfterOfAdditionalHeader(headerWith(Variant.scalar(BuiltInType.Int64, -5n)))).toBe(0);
  });
});
