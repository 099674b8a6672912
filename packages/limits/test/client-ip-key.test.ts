import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ClientIpSource, clientIpKey, IpNetwork, ipAddressKey, KeyedRatePolicy, parseIpAddress, perSecond } from '../src/index.ts';
import { aborted, ready } from './decisions.ts';

const proxies = ['10.0.0.0/8', '2001:db8:ffff::/48'];
const key = clientIpKey({ trustedProxies: proxies });

function behind(remoteAddress: string, headers: ClientIpSource['headers'] = {}): ClientIpSource {
  return { remoteAddress, headers };
}

describe('clientIpKey', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2/64'],
    ['2001:db8:1:2::', '2001:db8:1:2/64'],
    ['fe80::1%eth0', 'fe80:0:0:0/64'],
    ['::1', '0:0:0:0/64'],
    ['', 'unknown'],
    ['/run/socket', 'unknown'],
  ])('LM-06 without trusted proxies counts peer %s as %s and ignores what headers say', (peer, expected) => {
    const headers = { forwarded: 'for=203.0.113.1', 'x-forwarded-for': '203.0.113.2' };
    expect(clientIpKey()(behind(peer, headers))).toBe(expected);
    expect(clientIpKey({ trustedProxies: proxies })(behind(peer, headers))).toBe(expected);
  });

  it('counts a peer without an address as unknown', () => {
    expect(key({ remoteAddress: undefined })).toBe('unknown');
    expect(key({ remoteAddress: '10.0.0.1' })).toBe('10.0.0.1');
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9, 10.1.2.3,10.9.9.9', '203.0.113.9'],
    [' ,, 203.0.113.9 ,,\t', '203.0.113.9'],
    ['2001:db8:7:8:9::1', '2001:db8:7:8/64'],
    ['[2001:db8:7:8:9::1]:443', '2001:db8:7:8/64'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['10.4.4.4, 10.5.5.5', '10.4.4.4'],
    ['203.0.113.9, unknown, 10.5.5.5', '10.5.5.5'],
    ['203.0.113.9, garbage', '10.0.0.1'],
    ['203.0.113.9, 1.2.3', '10.0.0.1'],
    ['203.0.113.9, 010.1.1.1', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('LM-06 believes X-Forwarded-For from a trusted proxy: %j is %s', (header, expected) => {
    expect(key(behind('10.0.0.1', { 'x-forwarded-for': header }))).toBe(expected);
    expect(key(behind('::ffff:10.0.0.1', { 'x-forwarded-for': header }))).toBe(expected);
    expect(key(behind('2001:db8:ffff::1', { 'x-forwarded-for': '192.0.2.1' }))).toBe('192.0.2.1');
  });

  it.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['FOR = 1.1.1.1', '10.0.0.1'],
    ['For="203.0.113.9:80";Proto=https', '203.0.113.9'],
    ['proto=https;for=203.0.113.9;by=10.0.0.1', '203.0.113.9'],
    ['for="[2001:db8:7:8:9::1]:443"', '2001:db8:7:8/64'],
    ['for="[2001:db8:7:8:9::1]:_port"', '2001:db8:7:8/64'],
    ['for=198.51.100.1, for=203.0.113.9;by=10.2.2.2 , for=10.2.2.2', '203.0.113.9'],
    ['for="203.0.113\\.9"', '203.0.113.9'],
    ['for=203.0.113.9;host="a, for=1.1.1.1; \\" for=2.2.2.2"', '203.0.113.9'],
    ['for="198.51.100.1, for=203.0.113.9', '203.0.113.9'],
    ['for=203.0.113.9, for=unknown', '10.0.0.1'],
    ['for=203.0.113.9, for=_hidden', '10.0.0.1'],
    ['for=203.0.113.9, proto=https', '10.0.0.1'],
    ['for=1.1.1.1;for=2.2.2.2', '10.0.0.1'],
    ['for=', '10.0.0.1'],
    ['for="', '10.0.0.1'],
    ['for=[203.0.113.9]', '10.0.0.1'],
  ])('LM-06 believes Forwarded from a trusted proxy: %j is %s', (header, expected) => {
    expect(key(behind('10.0.0.1', { forwarded: header }))).toBe(expected);
  });

  it('believes neither header when both are there and disagree, unless it is told which one the proxies write', () => {
    const forged = { forwarded: 'for=1.1.1.1', 'x-forwarded-for': '203.0.113.9' };
    expect(key(behind('10.0.0.1', forged))).toBe('10.0.0.1');
    expect(key(behind('10.0.0.1', { ...forged, forwarded: 'for=203.0.113.9' }))).toBe('203.0.113.9');
    expect(clientIpKey({ trustedProxies: proxies, header: 'x-forwarded-for' })(behind('10.0.0.1', forged))).toBe('203.0.113.9');
    expect(clientIpKey({ trustedProxies: proxies, header: 'forwarded' })(behind('10.0.0.1', forged))).toBe('1.1.1.1');
  });

  it('takes a header that came in several lines as one, in their order', () => {
    expect(key(behind('10.0.0.1', { 'x-forwarded-for': ['198.51.100.1', '203.0.113.9, 10.3.3.3'] }))).toBe('203.0.113.9');
  });

  it('LM-06 aggregates IPv6 clients to the prefix it is given', () => {
    const source = behind('2001:db8:1234:56ff::1');
    expect(clientIpKey({ ipv6PrefixBits: 56 })(source)).toBe('2001:db8:1234:5600/56');
    expect(clientIpKey({ ipv6PrefixBits: 48 })(source)).toBe('2001:db8:1234/48');
    expect(clientIpKey({ ipv6PrefixBits: 128 })(source)).toBe('2001:db8:1234:56ff:0:0:0:1/128');
    expect(clientIpKey({ ipv6PrefixBits: 128 })(behind('192.0.2.7'))).toBe('192.0.2.7');
  });

  it('LM-06 a client cannot leave its bucket by changing its address inside its /64, nor by a header', () => {
    const policy = new KeyedRatePolicy({ ...perSecond(1), key: clientIpKey({ trustedProxies: proxies }) });
    ready(policy.check(behind('2001:db8:1:2::1'), 0));
    aborted(policy.check(behind('2001:db8:1:2:ffff::2'), 0));
    aborted(policy.check(behind('2001:db8:1:2::3', { 'x-forwarded-for': '192.0.2.55' }), 0));
    ready(policy.check(behind('2001:db8:1:3::1'), 0));
  });

  it('LM-06 any other extractor can take its place', () => {
    const policy = new KeyedRatePolicy<{ user: string }>({ ...perSecond(1), key: ({ user }) => user });
    ready(policy.check({ user: 'ada' }, 0));
    aborted(policy.check({ user: 'ada' }, 0));
    ready(policy.check({ user: 'bob' }, 0));
  });

  it('nothing a client writes before the part of its proxy changes what is read, however long or broken', () => {
    const junk = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.stringMatching(/^[",;\\ =for1.:[\]]*$/),
      fc.constant(`"${'\\",'.repeat(9_000)}`),
    );
    fc.assert(
      fc.property(junk, (text) => {
        expect(key(behind('10.0.0.1', { 'x-forwarded-for': `${text}, 203.0.113.9` }))).toBe('203.0.113.9');
        expect(key(behind('10.0.0.1', { forwarded: `${text}, for=203.0.113.9;proto=https` }))).toBe('203.0.113.9');
      }),
    );
  });

  it('never throws and gives short keys, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), fc.string(), (forwarded, xForwardedFor, peer) => {
        expect(key(behind('10.0.0.1', { forwarded, 'x-forwarded-for': xForwardedFor })).length).toBeLessThan(48);
        expect(key(behind(peer, {})).length).toBeLessThan(48);
      }),
    );
  });

  it('follows no more proxies than it is told, and reads no more than the end of an endless header', () => {
    const chain = `203.0.113.9${', 10.1.1.1'.repeat(20)}`;
    expect(key(behind('10.0.0.1', { 'x-forwarded-for': chain }))).toBe('10.1.1.1');
    expect(clientIpKey({ trustedProxies: proxies, maxHops: 21 })(behind('10.0.0.1', { 'x-forwarded-for': chain }))).toBe('203.0.113.9');
    expect(key(behind('10.0.0.1', { 'x-forwarded-for': '9'.repeat(100_000) }))).toBe('10.0.0.1');
    expect(key(behind('10.0.0.1', { 'x-forwarded-for': ' '.repeat(100_000) }))).toBe('10.0.0.1');
    // The cut goes through 11.2.3.4 and must not make 1.2.3.4 of it.
    const cut = `11.2.3.4,${' '.repeat(8_192 - '1.2.3.4,'.length)}`;
    expect(key(behind('10.0.0.1', { 'x-forwarded-for': cut }))).toBe('10.0.0.1');
  });

  it.each([
    [{ trustedProxies: ['10.0.0.1/8'] }, 'bits behind the prefix'],
    [{ trustedProxies: ['10.0.0.0/33'] }, 'not a prefix length'],
    [{ trustedProxies: ['10.0.0.0/'] }, 'not a prefix length'],
    [{ trustedProxies: ['10.0.0.0/8/8'] }, 'not an address'],
    [{ trustedProxies: ['localhost'] }, 'not an address'],
    [{ trustedProxies: ['::ffff:10.0.0.0/90'] }, 'not a prefix length'],
    [{ ipv6PrefixBits: 0 }, 'ipv6PrefixBits: an integer from 1 to 128 is needed, not 0'],
    [{ maxHops: 0 }, 'maxHops: '],
  ])('refuses the options %j', (options, message) => {
    expect(() => clientIpKey(options)).toThrow(RangeError);
    expect(() => clientIpKey(options)).toThrow(message);
  });
});

describe('IP addresses and networks', () => {
  it.each([
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '0x1.2.3.4',
    '1.2.3.4 ',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
  ])('reads %j as no address', (text) => {
    expect(parseIpAddress(text)).toBeUndefined();
  });

  it.each(['1:2:3:4:5:6:7::8', '12345::', 'g::', '1.2.3.4::', '::1.2.3.4:5', '::1.2.3', `::${'0'.repeat(1_000)}1`])(
    'reads %j as no IPv6 address',
    (text) => {
      expect(parseIpAddress(text)).toBeUndefined();
    },
  );

  it('reads every way of writing an IPv6 address to the same groups', () => {
    for (const text of ['2001:db8::a:102:304', '2001:0DB8:0:0:0:000a:0102:0304', '2001:db8::a:1.2.3.4', '2001:db8:0:0:0:a:1.2.3.4']) {
      expect(parseIpAddress(text), text).toEqual([0x2001, 0xdb8, 0, 0, 0, 0xa, 0x102, 0x304]);
    }
    expect(parseIpAddress('::')).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(parseIpAddress('1:2:3:4:5:6:7::')).toEqual([1, 2, 3, 4, 5, 6, 7, 0]);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        expect(ipAddressKey(parseIpAddress(text)!, 64)).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const address = parseIpAddress(text)!;
        expect(address, text).toBeDefined();
        if (address.length === 2) return;
        expect(parseIpAddress(ipAddressKey(address, 128).split('/')[0]!)).toEqual(address);
      }),
    );
  });

  it.each([
    ['0.0.0.0/0', '255.1.2.3', true],
    ['192.0.2.128/25', '192.0.2.200', true],
    ['192.0.2.128/25', '192.0.2.127', false],
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['2001:db8::/33', '2001:db8:7fff::1', true],
    ['2001:db8::/33', '2001:db8:8000::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '192.0.2.1', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::ffff:10.0.0.0/104', '10.200.0.1', true],
  ])('network %s contains %s: %s', (network, address, expected) => {
    expect(new IpNetwork(network).contains(parseIpAddress(address)!)).toBe(expected);
  });
});
