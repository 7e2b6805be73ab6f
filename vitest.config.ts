import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    // Processes of their own: tests change nothing global, but a crash in one file must not take the others along.
    pool: 'forks',
    // Every end-to-end test runs a real Claude Code of 250 MB beside the server.
    maxWorkers: 2,
    // Two workers drive real terminals, browsers and Claude Codes on two cores: what fails by a hair's breadth of time is tried once
    // more, and the report names it as retried. A fault of the product fails twice.
    retry: 1,
    // Conditions decide, not time: this only ends what hangs, also on a machine that does ten other things.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // A test that leaks a timer or a socket would keep its worker alive; this makes it visible instead of waiting for it.
    teardownTimeout: 5_000,
  },
});
