import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type Quarantined, type Retried, RUN_FILE, type Run } from '../../../scripts/test/run-file.mjs';
import { pinnedClaude } from '../claude.ts';
import { ProcessTimes, recognizeClaude } from './process-times.ts';
import type {} from './runner.ts';

/**
 * Often enough that few processes end unseen, and rarely enough: with 200 processes, a look takes 2 ms of processor
 * time.
 */
const LOOK_MS = 250;

/**
 * Writes what the default reporter does not tell into `RUN_FILE`: for each file how long it took, its processor time
 * and its launches of Claude Code, and the tests that passed only on the second attempt or are in quarantine.
 */
export default class RunReporter implements Reporter {
  readonly #file: string;
  readonly #times = new ProcessTimes({
    // The worlds of other test runs on the machine are marked, too. The files' marks tell them apart at the end.
    isMarked: () => true,
    isClaude: recognizeClaude(process.env.CBOS_TEST_CLAUDE ?? pinnedClaude()),
  });
  readonly #modules: TestModule[] = [];
  readonly #retried: Retried[] = [];
  readonly #quarantined: Quarantined[] = [];
  #looking: NodeJS.Timeout | undefined;

  constructor({ file = RUN_FILE }: { file?: string } = {}) {
    this.#file = file;
  }

  onTestRunStart(): void {
    this.#looking = setInterval(() => this.#times.look(), LOOK_MS);
  }

  onTestModuleEnd(module: TestModule): void {
    this.#modules.push(module);
  }

  onTestCaseResult(test: TestCase): void {
    const name = `${test.module.relativeModuleId} > ${test.fullName}`;
    const { quarantined } = test.meta();
    if (quarantined !== undefined) {
      this.#quarantined.push({ test: name, failure: quarantined === null ? null : onOneLine(quarantined) });
    } else if (test.diagnostic()?.flaky) {
      // Vitest keeps the errors from failed attempts.
      const [error] = test.result().errors ?? [];
      this.#retried.push({ test: name, failure: onOneLine(withCauses(error) || 'no error was kept') });
    }
  }

  onTestRunEnd(_modules: unknown, errors: readonly unknown[]): void {
    clearInterval(this.#looking);
    const files = Object.fromEntries(this.#modules.map((module) => [module.relativeModuleId, this.#figuresOf(module)]));
    mkdirSync(dirname(this.#file), { recursive: true });
    const run: Run = { files, retried: this.#retried, quarantined: this.#quarantined, errors: errors.length };
    writeFileSync(this.#file, JSON.stringify(run));
  }

  #figuresOf(module: TestModule) {
    const { duration, collectDuration, setupDuration } = module.diagnostic();
    const { used } = module.meta();
    const { cpuSeconds, launches } =
      used === undefined ? { cpuSeconds: 0, launches: 0 } : this.#times.used(new Set(used.marks), used.worker);
    return { wall: (duration + collectDuration + setupDuration) / 1_000, cpu: cpuSeconds, launches };
  }
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** What failed for a reason often says no more than that, as `fetch failed` does. */
function withCauses(error: { message?: string; cause?: unknown } | undefined): string {
  const cause = error?.cause === undefined ? '' : withCauses(error.cause as { message?: string; cause?: unknown });
  return [error?.message, cause].filter(Boolean).join(': ');
}
