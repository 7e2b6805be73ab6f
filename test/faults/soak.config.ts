import { defineConfig } from 'vitest/config';

/** `npm run soak`: an hour of turns, or `SOAK_MINUTES` of them. `npm test` tests only the verdict. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/faults/soak.play.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    hookTimeout: 60_000,
  },
});
