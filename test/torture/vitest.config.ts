import { defineConfig } from 'vitest/config';

/** `npm run torture`: minutes long and still finding faults, so it is no part of `npm test` yet. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/torture/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 1_200_000,
    hookTimeout: 60_000,
  },
});
