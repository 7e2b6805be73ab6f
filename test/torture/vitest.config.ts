import { defineConfig } from 'vitest/config';

/**
 * `npm run torture`: 2,000 operations with a random seed, which take a quarter of an hour. `npm test` runs the same
 * with fewer operations.
 */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/torture/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    env: {
      TORTURE_OPS: process.env.TORTURE_OPS ?? '2000',
      TORTURE_SEED: process.env.TORTURE_SEED ?? String(Date.now() % 1_000_000_000),
    },
    testTimeout: 1_200_000,
    hookTimeout: 60_000,
  },
});
