import { defineConfig } from 'vitest/config';

/** Suites that start no program: what fails there fails for a reason. */
const PURE = ['core', 'client', 'evidence', 'pictures', 'recordings'].map((room) => `test/${room}/**/*.test.ts`);

const EVERY_SUITE = {
  // Processes of their own: tests change nothing global, but a crash in one file must not take the others along.
  pool: 'forks',
  // Conditions decide, not time: this only ends what hangs, also on a machine that does ten other things.
  testTimeout: 120_000,
  hookTimeout: 60_000,
} as const;

export default defineConfig({
  test: {
    // Here, not in the projects: once for a run.
    globalSetup: ['test/harness/global-setup.ts'],
    // Every end-to-end test runs a real Claude Code of 250 MB beside the server.
    maxWorkers: 2,
    // A test that leaks a timer or a socket would keep its worker alive; this makes it visible instead of waiting for it.
    teardownTimeout: 5_000,
    projects: [
      { test: { ...EVERY_SUITE, name: 'pure', include: PURE } },
      {
        test: {
          ...EVERY_SUITE,
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          // Two workers drive real terminals, browsers and Claude Codes on two cores: what fails by a hair's breadth of time is tried
          // once more, and the last lines name it as retried. A fault of the product fails twice.
          retry: 1,
        },
      },
    ],
  },
});
