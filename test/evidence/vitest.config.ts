import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Records evidence anew: `npx vitest run -c test/evidence/vitest.config.ts [-t SCENE]`. No part of the tests. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/evidence/**/*.record.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    // One after the other: what is measured is Claude Code, not the machine's load.
    maxWorkers: 1,
    testTimeout: 120_000,
  },
});
