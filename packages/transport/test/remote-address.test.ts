import { describe, expect, it } from 'vitest';
import { foldAddress } from '../src/index.ts';

describe('foldAddress', () => {
  it.each([
    ['::ffff:192.168.1.2', '192.168.1.2'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
    ['fe80::1', 'fe80::1'],
    ['::1', '::1'],
  ])('makes %s %s', (address, folded) => {
    expect(foldAddress(address)).toBe(folded);
  });
});
