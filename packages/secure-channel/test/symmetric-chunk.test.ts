import { deriveKeys, SecurityPolicies, SymmetricKeys } from '@bulkhead/security';
import { StatusCodes } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { openSymmetricChunk } from '../src/symmetric-chunk.ts';
import { codeOf, pattern } from './channel-pair.ts';

const policy = SecurityPolicies.Basic256Sha256;
const keys = new SymmetricKeys(policy, deriveKeys(policy, pattern(32), pattern(33).subarray(1)));

/** A chunk of 80 bytes, correctly signed and encrypted, whose last 24 bytes before the signature are these. */
function sealed(beforeSignature: Buffer): Buffer {
  // The SequenceHeader has the same bytes as the padding, so that only its length can be wrong.
  const chunk = Buffer.alloc(80, beforeSignature.at(-1));
  beforeSignature.copy(chunk, 24);
  keys.signInPlace(chunk, 0, 48);
  keys.encryptInPlace(chunk, 16, 80);
  return chunk;
}

/** A body of `24 - 1 - size` bytes and padding of this PaddingSize. */
const padded = (size: number): Buffer =>
  Buffer.concat([Buffer.alloc(Math.max(0, 23 - size), 0xee), Buffer.alloc(24, size)]).subarray(0, 24);

describe('padding of an encrypted chunk', () => {
  it('may leave any body, also an empty one', () => {
    for (let size = 0; size <= 23; size++) expect(openSymmetricChunk(sealed(padded(size)), keys, true)).toBe(24 + 23 - size);
  });

  it('is refused, even from a peer that signs it, when it reaches into the SequenceHeader or differs anywhere', async () => {
    for (const size of [24, 31, 32, 255]) {
      expect(await codeOf(() => openSymmetricChunk(sealed(padded(size)), keys, true))).toBe(StatusCodes.BadSecurityChecksFailed);
    }
    for (let at = 15; at < 23; at++) {
      const wrong = padded(8);
      wrong[at] = 9;
      expect(await codeOf(() => openSymmetricChunk(sealed(wrong), keys, true)), `${at}`).toBe(StatusCodes.BadSecurityChecksFailed);
    }
  });
});
