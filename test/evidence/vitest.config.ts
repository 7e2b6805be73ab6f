import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * Records the evidence again: `npx vitest run -c test/evidence/vitest.config.ts [-t SCENE]`. Not part of `npm test`.
 */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/evidence/**/*.record.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    // Scenes run one after the other, so that they measure Claude Code and not the load of the machine.
    maxWorkers: 1,
    testTimeout: 120_000,
  },
});
