import { defineConfig } from 'vitest/config';

// Those of Node itself: what is meant for bundlers doesn't run here.
const conditions = ['@bulkhead/source', 'node', 'import', 'default'];
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({
  test: {
    reporters: ['dot', './scripts/closing-line-reporter.mjs'],
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'scripts/test/*.test.mjs'],
          pool: 'threads',
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...shared,
        test: {
          name: 'wire',
          include: ['test/**/*.test.ts', 'benchmarks/test/**/*.test.ts'],
          exclude: ['**/node_modules/**'],
          pool: 'forks',
          // These tests wait for the network more than they compute.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          isolate: true,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
