import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import figures from './test/figures.json' with { type: 'json' };

/** Suites that start no program: what fails there fails for a reason. */
const PURE = ['core', 'client', 'emitter', 'evidence', 'pictures', 'planted', 'recordings'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

/** Suites on a server and sessions in memory. They start no program, or none that outlives a test. */
const IN_MEMORY = ['cli', 'server', 'tui'].map((room) => `test/${room}/**/*.test.ts`);

/**
 * Suites in which a fault shows itself only now and then. A fault there is a fault, even if it does not occur on a
 * second attempt.
 */
const NEVER_RETRIED = [
  'test/answers/**/*.test.ts',
  'test/torture/**/*.test.ts',
  'test/torture-fleet/**/*.test.ts',
  'test/lives/**/*.test.ts',
  'test/e2e/answers.test.ts',
  'test/faults/kills.test.ts',
];

/** Suites that measure their own process, to which nothing else may have happened. */
const ALONE = ['test/server/returned-memory.test.ts'];

/** A suite that takes longer runs first. If it began last, it would run alone, with the other workers idle. */
const LONG_SECONDS = 10;

/** How long a suite is taken to run that nobody has recorded yet. */
const UNKNOWN_SECONDS: Readonly<Record<string, number>> = { rare: 60, real: 20, alone: 3, memory: 3, pure: 1 };

/** In this order the projects run their short suites. */
const PROJECTS = Object.keys(UNKNOWN_SECONDS);

/**
 * Runs the longest suites first, by test/figures.json, and then the short ones by project, because a worker takes the
 * next suite only if that is of its own project.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const recorded: Readonly<Record<string, { wall: number } | undefined>> = figures.files;
    const ranked = (await super.sort(files)).map((file) => {
      const name = relative(import.meta.dirname, file.moduleId);
      const seconds = recorded[name]?.wall ?? UNKNOWN_SECONDS[file.project.name] ?? 0;
      return { file, seconds, group: seconds >= LONG_SECONDS ? -1 : PROJECTS.indexOf(file.project.name) };
    });
    return ranked.sort((one, other) => one.group - other.group || other.seconds - one.seconds).map(({ file }) => file);
  }
}

const EVERY_SUITE = {
  // Processes, not threads: a crash ends only its worker.
  pool: 'forks',
  // The suites share the workers. To load a worker and the sources takes a second of processor time, more than most
  // suites. Tests change nothing global.
  isolate: false,
  // Tests wait for conditions. This limit only ends a test that hangs, so it suffices on a busy machine, too.
  testTimeout: 120_000,
  hookTimeout: 60_000,
  setupFiles: ['test/harness/leaks.ts', 'test/harness/retries.ts'],
  runner: './test/harness/figures/runner.ts',
} as const;

/**
 * Three workers drive real terminals, browsers and Claude Codes on two cores, where a test can fail because the machine
 * is busy. The runner tries such a test once more, and the last lines of the run name the test.
 */
const TRIED_AGAIN = { retry: 1 } as const;

export default defineConfig({
  test: {
    // Here, not in the projects: once for a run.
    globalSetup: ['test/harness/global-setup.ts'],
    // One more than a small machine has cores: suites with real programs wait for them now and then. Not more: every
    // end-to-end test runs a Claude Code of 250 MB beside the server.
    maxWorkers: 3,
    // A test that leaks a timer or a socket would keep its worker alive. This makes the leak visible and does not wait.
    teardownTimeout: 5_000,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...EVERY_SUITE, name: 'pure', include: PURE } },
      { test: { ...EVERY_SUITE, ...TRIED_AGAIN, name: 'memory', include: IN_MEMORY, exclude: ALONE } },
      { test: { ...EVERY_SUITE, name: 'alone', isolate: true, include: ALONE } },
      { test: { ...EVERY_SUITE, name: 'rare', include: NEVER_RETRIED } },
      {
        test: {
          ...EVERY_SUITE,
          ...TRIED_AGAIN,
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [...PURE, ...IN_MEMORY, ...NEVER_RETRIED, ...ALONE],
        },
      },
    ],
  },
});
