import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { contentEnd, needsExtraPaddingSize, paddingFieldBytes, writePadding } from '../src/index.ts';

const cases = [
  { blockBytes: 16, signatureBytes: 32, extra: false },
  { blockBytes: 256 - 42, signatureBytes: 256, extra: false },
  { blockBytes: 384 - 42, signatureBytes: 256, extra: true },
  { blockBytes: 512 - 66, signatureBytes: 512, extra: true },
];
const refused = expect.objectContaining({ statusCode: StatusCodes.BadSecurityChecksFailed });

describe.each(cases)('padding to $blockBytes byte blocks, ExtraPaddingSize $extra', ({ blockBytes, signatureBytes, extra }) => {
  it('fills whole blocks with the fewest bytes and is found again, for every content length', () => {
    for (let content = 0; content <= 2 * blockBytes; content++) {
      const field = paddingFieldBytes(content, signatureBytes, blockBytes, extra);
      expect((content + field + signatureBytes) % blockBytes).toBe(0);
      expect(field).toBeLessThan(blockBytes + (extra ? 2 : 1));
      const chunk = Buffer.alloc(content + field, 0xaa);
      expect(writePadding(chunk, content, field, extra)).toBe(content + field);
      expect(contentEnd(chunk, 0, chunk.length, extra)).toBe(content);
    }
  });

  it('is refused when any of its bytes is changed', () => {
    const content = 40;
    const field = paddingFieldBytes(content, signatureBytes, blockBytes, extra);
    const chunk = Buffer.alloc(content + field, 0xaa);
    writePadding(chunk, content, field, extra);
    for (let i = content; i < chunk.length; i++) {
      const changed = Buffer.from(chunk);
      changed[i] = (changed[i] as number) ^ 0x55;
      expect(() => contentEnd(changed, 0, changed.length, extra)).toThrow(refused);
    }
  });

  it('is refused when it claims more bytes than there are', () => {
    const chunk = Buffer.alloc(10, 200);
    expect(() => contentEnd(chunk, 0, 10, extra)).toThrow(refused);
    expect(() => contentEnd(chunk, 10, 10, extra)).toThrow(refused);
    expect(() => contentEnd(Buffer.alloc(10, 4), 8, 10, extra)).toThrow(refused);
    expect(() => contentEnd(Buffer.alloc(0), 0, 0, extra)).toThrow(refused);
  });
});

it('ExtraPaddingSize is there for keys above 2048 bits only', () => {
  expect([256, 257, 384, 512].map(needsExtraPaddingSize)).toEqual([false, true, true, true]);
});
