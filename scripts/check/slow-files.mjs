import { readRecord } from '../test/figures.mjs';

/** The longest that a file of tests may take on an idle machine. */
const MOST_SECONDS = 60;

/**
 * The files that took longer in the first whole run that was recorded, with four workers on two cores. The list only
 * gets shorter: split a file, or let its tests share sessions. Do not add to it.
 * @type {readonly string[]}
 */
const STILL_SLOW = [
  'test/contract/real.test.ts',
  'test/contract/stand-in.test.ts',
  'test/e2e/answers.test.ts',
  'test/e2e/delivery.test.ts',
  'test/e2e/interrupts.test.ts',
  'test/platform/git/finish-worktree.test.ts',
  'test/platform/gnu-screen/window.test.ts',
  'test/server/http/routes.test.ts',
  'test/torture/torture.test.ts',
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
