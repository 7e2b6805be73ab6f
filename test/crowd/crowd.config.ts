import { defineConfig } from 'vitest/config';

/** `npm run crowd`: restores and parks as many real sessions as the product promises to handle. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/crowd/*.play.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    // Each of these suites uses all of the machine.
    maxWorkers: 1,
    testTimeout: 30 * 60_000,
    hookTimeout: 30 * 60_000,
  },
});
