import { expect, it } from 'vitest';
import { checkSizes } from '../checks/sizes.mjs';

it('a file of 500 lines passes and one of 501 does not', () => {
  const { faults } = checkSizes([
    { file: 'a.ts', lines: 500 },
    { file: 'b.ts', lines: 501 },
  ]);
  expect(faults).toEqual(['b.ts: 501 lines, 500 are allowed']);
});

it('files above 300 lines are counted, not refused', () => {
  const files = [300, 301, 400].map((lines) => ({ file: `${lines}.ts`, lines }));
  expect(checkSizes(files)).toEqual({ faults: [], note: '2 of 3 files have more than 300 lines' });
});
