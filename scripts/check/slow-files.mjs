import { readRecord } from '../test/figures.mjs';

/** The longest that a file of tests may take on an idle machine. */
const MOST_SECONDS = 60;

/**
 * The files that took longer when this limit came, measured beside other work, which stretched them. The list only gets
 * shorter: split a file, or let its tests share sessions. Do not add to it.
 * @type {readonly string[]}
 */
const STILL_SLOW = [
  'test/cli/worktrees.test.ts',
  'test/e2e/always.test.ts',
  'test/e2e/answers.test.ts',
  'test/e2e/delivery.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/fork.test.ts',
  'test/e2e/hello.test.ts',
  'test/e2e/json-faults.test.ts',
  'test/e2e/web-page.test.ts',
  'test/faults/clock.test.ts',
  'test/faults/crash.test.ts',
  'test/faults/worktree-kills.test.ts',
  'test/platform/gnu-screen/window.test.ts',
  'test/server/changes/changed-sides.test.ts',
  'test/server/http/routes.test.ts',
  'test/server/replay/bounds.test.ts',
  'test/server/turns/checkpoint-files.test.ts',
  'test/torture/torture.test.ts',
  'test/web/past-files.test.ts',
];

/**
 * Returns what is wrong with the recorded times of the test files.
 * @param {Record<string, import('../test/figures.mjs').Recorded>} [files]
 * @param {readonly string[]} [stillSlow]
 * @returns {string[]} one line per complaint
 */
export function slowFiles(files = readRecord().files, stillSlow = STILL_SLOW) {
  const slow = Object.entries(files).filter(([, { wall }]) => wall > MOST_SECONDS);
  const names = slow.map(([file]) => file);
  return [
    ...slow
      .filter(([file]) => !stillSlow.includes(file))
      .map(
        ([file, { wall }]) =>
          `${file} takes ${wall.toFixed(0)} s, more than ${MOST_SECONDS}: split it, or make it faster`,
      ),
    ...stillSlow
      .filter((file) => !names.includes(file))
      .map(
        (file) =>
          `${file} takes no more than ${MOST_SECONDS} s: remove it from STILL_SLOW in scripts/check/slow-files.mjs`,
      ),
  ];
}
