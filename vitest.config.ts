import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites that start no program: what fails there fails for a reason. */
const PURE = ['core', 'client', 'emitter', 'evidence', 'pictures', 'recordings'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

/** Suites of a minute or more. One that began last would run alone, with the other worker idle. */
const LONGEST = [
  'torture/torture',
  'faults/kills',
  'e2e/answers',
  'e2e/delivery',
  'faults/ended-sessions',
  'e2e/lifecycle',
  'live/live',
  'faults/home',
  'core/status/half-drawn-dialogs',
].map((name) => `test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const EVERY_SUITE = {
  // Processes of their own: tests change nothing global, but a crash in one file must not take the others along.
  pool: 'forks',
  // Conditions decide, not time: this only ends what hangs, also on a machine that does ten other things.
  testTimeout: 120_000,
  hookTimeout: 60_000,
  setupFiles: ['test/harness/leaks.ts'],
} as const;

export default defineConfig({
  test: {
    // Here, not in the projects: once for a run.
    globalSetup: ['test/harness/global-setup.ts'],
    // One more than a small machine has cores: suites with real programs mostly wait for them. Not many more: every
    // end-to-end test runs a Claude Code of 250 MB beside the server.
    maxWorkers: 3,
    // A test that leaks a timer or a socket would keep its worker alive; this makes it visible instead of waiting for it.
    teardownTimeout: 5_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...EVERY_SUITE, name: 'pure', include: PURE } },
      {
        test: {
          ...EVERY_SUITE,
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: PURE,
          // Three workers drive real terminals, browsers and Claude Codes on two cores: what fails by a hair's breadth of time is tried
          // once more, and the last lines name it as retried. A fault of the product fails twice.
          retry: 1,
        },
      },
    ],
  },
});
