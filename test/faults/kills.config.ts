import { defineConfig } from 'vitest/config';

/** `npm run kills`: 200 kills, or `KILLS` of them, with a random seed. `npm test` runs the same with fewer kills. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/faults/kills.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    env: {
      KILLS: process.env.KILLS ?? '200',
      KILLS_SEED: process.env.KILLS_SEED ?? String(Date.now() % 1_000_000_000),
    },
    hookTimeout: 60_000,
  },
});
