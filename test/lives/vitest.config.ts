import { defineConfig } from 'vitest/config';

/** `npm run lives`: 200 lives with a random seed, which take a quarter of an hour. `npm test` lives a few of them. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/lives/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    env: {
      LIVES: process.env.LIVES ?? '200',
      LIVES_STEPS: process.env.LIVES_STEPS ?? '8',
      LIVES_AT_A_TIME: process.env.LIVES_AT_A_TIME ?? '3',
      LIVES_SEED: process.env.LIVES_SEED ?? String(Date.now() % 1_000_000_000),
    },
  },
});
