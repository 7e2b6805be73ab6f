import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestRunner } from 'vitest';
import { createdMarksAfter } from '../world.ts';
import { readTimes, type WorkerTimes } from './process-times.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** of a file: what its worker used for it, and the marks of its worlds */
    used?: { worker: WorkerTimes; marks: readonly string[] };
    /** of a test in quarantine: why it failed, or null if it passed */
    quarantined?: string | null;
  }
}

type File = Parameters<TestRunner['onCollectStart']>[0];
type Suite = Parameters<TestRunner['onAfterRunSuite']>[0];
type Test = Parameters<TestRunner['onAfterRunTask']>[0];

/**
 * Runs the tests as vitest does. It also tells the reporter what each file used, and lets no failure of a test in
 * quarantine count.
 */
export default class FiguresRunner extends TestRunner {
  readonly #quarantined = readQuarantine(join(this.config.root, 'test', 'quarantine.json'));
  #began = { own: 0, reaped: 0, worlds: 0 };

  override onCollectStart(file: File): void {
    this.#began = { ...ownTimes(), worlds: createdMarksAfter(0).length };
    super.onCollectStart(file);
  }

  override async onAfterRunSuite(suite: Suite): Promise<void> {
    await super.onAfterRunSuite(suite);
    if (suite !== suite.file) return;
    const { own, reaped } = ownTimes();
    suite.meta.used = {
      worker: { pid: process.pid, own: own - this.#began.own, reaped: reaped - this.#began.reaped },
      marks: createdMarksAfter(this.#began.worlds),
    };
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    const { result, fullName = '' } = test;
    if (result === undefined || !this.#quarantined.has(fullName)) return;
    test.meta.quarantined = result.state === 'fail' ? (result.errors?.[0]?.message ?? 'no message') : null;
    if (result.state !== 'fail') return;
    result.state = 'pass';
    delete result.errors;
  }
}

/** `npm run again` sets CBOS_QUARANTINE=off, because it must see whether a test in quarantine is mended. */
function readQuarantine(file: string): ReadonlySet<string> {
  if (!existsSync(file) || process.env.CBOS_QUARANTINE === 'off') return new Set();
  const rows = JSON.parse(readFileSync(file, 'utf8')) as { test: string }[];
  return new Set(rows.map(({ test }) => test));
}

/** The files of a worker run one after the other, so what it uses belongs to the file that is running. */
function ownTimes(): { own: number; reaped: number } {
  const times = readTimes('self');
  if (times === null) throw new Error('this process has no times in /proc/self/stat');
  return times;
}
