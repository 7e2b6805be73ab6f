import { defineConfig } from 'vitest/config';

/** `npm run kills`: 200 kills, or `KILLS` of them, of a seed that nobody chose. `npm test` has the same with fewer. */
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
