import { DateTime } from '@bulkhead/types';
import { describe, expect, it } from 'vitest';
import { Snapshot } from '../src/server-object/snapshot.ts';

describe('a snapshot', () => {
  it('is made when it is asked for, and shared until it is too old', () => {
    let nowMs = 1000;
    let made = 0;
    const snapshot = new Snapshot({ nowMs: () => nowMs, utcNow: () => DateTime.MIN }, 500, () => ({ number: ++made }));
    expect(made).toBe(0);
    const first = snapshot.value;
    nowMs += 499;
    expect(snapshot.value).toBe(first);
    nowMs += 1;
    expect(snapshot.value).toEqual({ number: 2 });
    expect(made).toBe(2);
  });
});
