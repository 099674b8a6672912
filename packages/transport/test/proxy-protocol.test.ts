import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PROXY_HEADER_BYTES, type ProxyHeader, readProxyHeader } from '../src/index.ts';

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const CLIENT_V4 = Buffer.from([192, 0, 2, 7, 10, 0, 0, 1, 0xc0, 0x00, 0x12, 0xe8]);
const CLIENT_V6 = Buffer.from('20010db8000000000000000000000007fd000000000000000000000000000001c00012e8', 'hex');

/** A header of version 2; `length` as it is said, that of `block` by default. */
function v2(versionAndCommand: number, familyAndProtocol: number, block: Buffer = Buffer.alloc(0), length = block.length): Buffer {
  return Buffer.concat([SIGNATURE, Buffer.from([versionAndCommand, familyAndProtocol, length >> 8, length & 0xff]), block]);
}

const line = (text: string): Buffer => Buffer.from(`${text}\r\n`, 'latin1');
const sourceOf = (header: ProxyHeader): unknown => (header.kind === 'header' ? header.source : header);
const reasonOf = (header: ProxyHeader): string => (header.kind === 'malformed' ? header.reason : header.kind);

const headers: readonly [string, Buffer, unknown][] = [
  ['TCP4', line('PROXY TCP4 192.0.2.7 10.0.0.1 49152 4840'), { address: '192.0.2.7', port: 49_152 }],
  ['TCP6', line('PROXY TCP6 2001:DB8:0:0::7 fd00::1 49152 4840'), { address: '2001:db8::7', port: 49_152 }],
  ['TCP6 with a mapped address', line('PROXY TCP6 ::ffff:192.0.2.7 ::1 1 65535'), { address: '192.0.2.7', port: 1 }],
  ['the longest UNKNOWN', line(`PROXY UNKNOWN${` ${'f'.repeat(39)}`.repeat(2)} 65535 65535`), undefined],
  ['a bare UNKNOWN', line('PROXY UNKNOWN'), undefined],
  ['v2 over IPv4', v2(0x21, 0x11, CLIENT_V4), { address: '192.0.2.7', port: 49_152 }],
  ['v2 over IPv6', v2(0x21, 0x21, CLIENT_V6), { address: '2001:db8::7', port: 49_152 }],
  [
    'v2 with a mapped address',
    v2(0x21, 0x21, Buffer.concat([Buffer.from('00000000000000000000ffffc0000207', 'hex'), CLIENT_V6.subarray(16)])),
    { address: '192.0.2.7', port: 49_152 },
  ],
  [
    'v2 with as many TLVs as fit',
    v2(0x21, 0x11, Buffer.concat([CLIENT_V4, Buffer.alloc(520 - CLIENT_V4.length, 4)])),
    { address: '192.0.2.7', port: 49_152 },
  ],
  ['v2 LOCAL', v2(0x20, 0x00), undefined],
  ['v2 LOCAL with an address all the same', v2(0x20, 0x11, CLIENT_V4), undefined],
  ['v2 LOCAL of a family that there isn’t', v2(0x20, 0xff, Buffer.alloc(3)), undefined],
  ['v2 of no family', v2(0x21, 0x00, Buffer.alloc(5)), undefined],
  ['v2 over UDP', v2(0x21, 0x12, CLIENT_V4), undefined],
  ['v2 over a UNIX socket', v2(0x21, 0x31, Buffer.alloc(216, 0x2f)), undefined],
];

const faults: readonly [string, Buffer, string][] = [
  ['a Hello', Buffer.from('HELF\x20\0\0\0', 'latin1'), 'noSignature'],
  ['one wrong byte', Buffer.from('p'), 'noSignature'],
  ['a signature that goes wrong at its end', Buffer.concat([SIGNATURE.subarray(0, 11), Buffer.from('!')]), 'noSignature'],
  ['an unknown family', line('PROXY TCP5 192.0.2.7 10.0.0.1 1 2'), 'family'],
  ['no family', line('PROXY '), 'family'],
  ['a family in lower case', line('PROXY tcp4 192.0.2.7 10.0.0.1 1 2'), 'family'],
  ['an IPv6 address as TCP4', line('PROXY TCP4 ::1 10.0.0.1 1 2'), 'address'],
  ['an IPv4 address as TCP6', line('PROXY TCP6 192.0.2.7 ::1 1 2'), 'address'],
  ['a zone', line('PROXY TCP6 fe80::1%eth0 ::1 1 2'), 'address'],
  ['a name', line('PROXY TCP4 localhost 10.0.0.1 1 2'), 'address'],
  ['an octal address', line('PROXY TCP4 192.0.2.007 10.0.0.1 1 2'), 'address'],
  ['a wrong destination', line('PROXY TCP4 192.0.2.7 10.0.0 1 2'), 'address'],
  ['a port with a zero in front', line('PROXY TCP4 192.0.2.7 10.0.0.1 01 2'), 'port'],
  ['a port above 65535', line('PROXY TCP4 192.0.2.7 10.0.0.1 65536 2'), 'port'],
  ['a wrong destination port', line('PROXY TCP4 192.0.2.7 10.0.0.1 1 -2'), 'port'],
  ['a missing port', line('PROXY TCP4 192.0.2.7 10.0.0.1 1'), 'fields'],
  ['a field too many', line('PROXY TCP4 192.0.2.7 10.0.0.1 1 2 3'), 'fields'],
  ['two spaces', line('PROXY TCP4  192.0.2.7 10.0.0.1 1 2'), 'fields'],
  ['a line feed alone', Buffer.from('PROXY UNKNOWN\n'), 'fields'],
  ['a line that doesn’t end', Buffer.from(`PROXY UNKNOWN ${'x'.repeat(93)}`), 'tooLong'],
  ['a line that ends too late', line(`PROXY UNKNOWN ${'x'.repeat(92)}`), 'tooLong'],
  ['version 1 in binary', v2(0x11, 0x11, CLIENT_V4), 'version'],
  ['version 3', v2(0x31, 0x11, CLIENT_V4), 'version'],
  ['an unknown command', v2(0x22, 0x11, CLIENT_V4), 'command'],
  ['a family beyond UNIX', v2(0x21, 0x41, CLIENT_V6), 'family'],
  ['a protocol beyond datagrams', v2(0x21, 0x13, CLIENT_V4), 'family'],
  ['an IPv4 block without its ports', v2(0x21, 0x11, CLIENT_V4.subarray(0, 11)), 'address'],
  ['an IPv6 block without its ports', v2(0x21, 0x21, CLIENT_V6.subarray(0, 35)), 'address'],
  ['a UNIX block too short', v2(0x21, 0x31, Buffer.alloc(215)), 'address'],
  ['a length above the bound, before its bytes come', v2(0x21, 0x11, Buffer.alloc(0), 521), 'tooLong'],
  ['a LOCAL length above the bound', v2(0x20, 0x00, Buffer.alloc(0), 65_535), 'tooLong'],
];

describe('readProxyHeader', () => {
  it.each(headers)('reads %s, and leaves what follows', (_title, bytes, source) => {
    const header = readProxyHeader(Buffer.concat([bytes, Buffer.from('HELF')]));
    expect(header).toEqual({ kind: 'header', source, byteCount: bytes.length });
  });

  it.each(headers)('asks for more at each byte before the last of %s', (_title, bytes) => {
    for (let length = 0; length < bytes.length; length++) {
      expect(readProxyHeader(bytes.subarray(0, length)), `${length} bytes`).toEqual({ kind: 'incomplete' });
    }
  });

  it.each(faults)('refuses %s', (_title, bytes, reason) => {
    expect(reasonOf(readProxyHeader(bytes))).toBe(reason);
  });

  const junk = fc.oneof(
    fc.uint8Array({ maxLength: 700 }),
    // Near misses.
    fc.tuple(fc.constantFrom(...headers.map(([, bytes]) => bytes)), fc.nat(), fc.nat({ max: 255 })).map(([bytes, at, byte]) => {
      const changed = Buffer.from(bytes);
      changed[at % changed.length] = byte;
      return changed;
    }),
    fc.tuple(fc.constantFrom(SIGNATURE, Buffer.from('PROXY ')), fc.uint8Array({ maxLength: 700 })).map((parts) => Buffer.concat(parts)),
    fc.string({ unit: 'binary-ascii', maxLength: 120 }).map((text) => line(`PROXY TCP4 ${text}`)),
  );

  it('ends any bytes in a header, a fault or the need for more, within its bound', () => {
    fc.assert(
      fc.property(junk, (bytes) => {
        const header = readProxyHeader(Buffer.from(bytes));
        if (header.kind === 'incomplete') expect(bytes.length).toBeLessThan(MAX_PROXY_HEADER_BYTES);
        if (header.kind !== 'header') return;
        expect(header.byteCount).toBeGreaterThan(0);
        expect(header.byteCount).toBeLessThanOrEqual(Math.min(bytes.length, MAX_PROXY_HEADER_BYTES));
      }),
      { numRuns: 2000 },
    );
  });

  it('says the same of any bytes however they are cut', () => {
    fc.assert(
      fc.property(junk, (bytes) => {
        const whole = readProxyHeader(Buffer.from(bytes));
        let cut: ProxyHeader = { kind: 'incomplete' };
        for (let length = 0; cut.kind === 'incomplete' && length <= bytes.length; length++) {
          cut = readProxyHeader(Buffer.from(bytes.subarray(0, length)));
        }
        expect(cut.kind).toBe(whole.kind);
        expect(sourceOf(cut)).toEqual(sourceOf(whole));
      }),
      { numRuns: 500 },
    );
  });
});
