import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Suites that start no program: what fails there fails for a reason. */
const PURE = ['core', 'client', 'emitter', 'evidence', 'pictures', 'recordings'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

/** Suites on a server and sessions in memory. They start no program, or none that outlives a test. */
const IN_MEMORY = ['cli', 'server', 'tui'].map((room) => `test/${room}/**/*.test.ts`);

/** Suites of a minute or more. One that began last would run alone, with the other worker idle. */
const LONGEST = [
  'torture/torture',
  'e2e/answers',
  'e2e/web-page',
  'faults/kills',
  'web/page',
  'e2e/demo',
  'e2e/delivery',
  'e2e/interrupts',
  'faults/home',
  'e2e/replies',
  'faults/ended-sessions',
  'e2e/lifecycle',
  'live/live',
  'e2e/stash',
  'faults/recording-removed',
].map((name) => `test/${name}.test.ts`);

/**
 * The longest first, and last the short ones that share workers: a worker takes the next suite only if that is of its
 * own project.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const long = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return long === -1 ? LONGEST.length + ['real', 'memory', 'pure'].indexOf(project.name) : long;
    };
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}

const EVERY_SUITE = {
  // Processes, not threads: a crash ends only its worker.
  pool: 'forks',
  // The suites share the workers. To load a worker and the sources takes a second of processor time, more than most
  // suites. Tests change nothing global.
  isolate: false,
  // Conditions decide, not time: this only ends what hangs, also on a machine that does ten other things.
  testTimeout: 120_000,
  hookTimeout: 60_000,
  setupFiles: ['test/harness/leaks.ts'],
} as const;

/**
 * Four workers drive real terminals, browsers and Claude Codes on two cores: what fails by a hair's breadth of time is
 * tried once more, and the last lines name it as retried. A fault of the product fails twice.
 */
const TRIED_AGAIN = { retry: 1 } as const;

export default defineConfig({
  test: {
    // Here, not in the projects: once for a run.
    globalSetup: ['test/harness/global-setup.ts'],
    // Two more than a small machine has cores: suites with real programs mostly wait for them. Not many more: every
    // end-to-end test runs a Claude Code of 250 MB beside the server.
    maxWorkers: 4,
    // A test that leaks a timer or a socket would keep its worker alive; this makes it visible instead of waiting for it.
    teardownTimeout: 5_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...EVERY_SUITE, name: 'pure', include: PURE } },
      { test: { ...EVERY_SUITE, ...TRIED_AGAIN, name: 'memory', include: IN_MEMORY } },
      {
        test: {
          ...EVERY_SUITE,
          ...TRIED_AGAIN,
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, ...IN_MEMORY],
        },
      },
    ],
  },
});
