import { describe, expect, it } from 'vitest';
import { localesOf, parseAuthorization } from '../src/sessionless/authorization.ts';

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('parseAuthorization', () => {
  it('reads a user name and a password, which may have colons and be empty', () => {
    expect(parseAuthorization(basic('ann:se:cret'))).toEqual({ kind: 'basic', userName: 'ann', password: Buffer.from('se:cret') });
    expect(parseAuthorization(`basic   ${basic('zoë:').slice(6)} `)).toEqual({ kind: 'basic', userName: 'zoë', password: Buffer.alloc(0) });
  });

  it('reads a bearer token', () => {
    expect(parseAuthorization('Bearer abc.def')).toEqual({ kind: 'bearer', token: 'abc.def' });
  });

  it('knows nobody by what it can not read', () => {
    for (const header of ['Basic', 'Basic ', basic('nocolon'), basic(':password'), 'Digest x=y', 'x']) {
      expect(parseAuthorization(header)).toEqual({ kind: 'unknown' });
    }
    expect(parseAuthorization(undefined)).toEqual({ kind: 'none' });
  });
});

describe('localesOf', () => {
  it('sorts by quality and keeps the order of equals', () => {
    expect(localesOf('fr;q=0.5, de, en;q=0.8, es;q=0.8, *;q=0.1, it;q=0')).toEqual(['de', 'en', 'es', 'fr']);
    expect(localesOf(undefined)).toEqual([]);
  });
});
