import { beforeAll, expect, test } from 'vitest';
import { allow, command } from '../core/approval/judge.ts';
import { type Evasion, evasionsHere, type Seen, tryOut } from './evasions.ts';

/**
 * `npm run evasions` tries 5,000 command lines, `npm test` a few. Each is run for real, in a folder of its own, and what
 * it did there is compared with what a rule with a star decides about it.
 */
const COUNT = Number(process.env.EVASIONS ?? 300);
const SEED = Number(process.env.EVASIONS_SEED ?? (process.env.EVASIONS === undefined ? 40 : Date.now() % 1_000_000));
const AT_A_TIME = 4;

/** Commands that write as their names say. A rule that names one allows the file that it is told to write. */
const WRITES_BY_NAME =
  /^(?:cp|mv|ln|mkdir|touch|tee|rm|rmdir|chmod|chown|git (?:add|commit|tag|branch|stash|checkout|switch|reset|rm|clean|push|fetch|pull|remote|worktree|reflog)|git)$/;

let all: Evasion[] = [];
beforeAll(async () => {
  all = await evasionsHere();
});

/** Chooses evasions by a seed, without repeats. */
function chosen(): Evasion[] {
  let state = SEED;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  return [...all]
    .map((evasion) => ({ evasion, rank: next() }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, COUNT)
    .map(({ evasion }) => evasion);
}

const decision = ({ program, words }: Evasion): string => {
  const quoted = words.map((word) => (/^[\w./=:@%+,-]+$/.test(word) ? word : `'${word}'`));
  return command(allow(`${program} **`), [program, ...quoted].join(' ')).decision;
};

test(`nothing that a star allows runs, writes or reads a list (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const evasions = chosen();
  const wrong: string[] = [];
  let accepted = 0;
  let effective = 0;
  const queue = [...evasions];
  const work = async (): Promise<void> => {
    for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
      const verdict = decision(one);
      const seen: Seen = await tryOut(one);
      if (seen.isAccepted) accepted += 1;
      const isWider = seen.ran || (seen.wrote.length > 0 && !WRITES_BY_NAME.test(one.program));
      if (isWider) effective += 1;
      const isHarmful = isWider || (one.effect !== 'none' && seen.isAccepted);
      if (verdict === 'allow' && isHarmful) {
        wrong.push(
          `${one.program} ${one.words.join(' ')}: ${one.effect}, ran ${seen.ran}, wrote ${seen.wrote.join(' ')}`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  console.log(
    `${evasions.length} of ${all.length} command lines, ${accepted} accepted, ${effective} ran or wrote something`,
  );
  expect(wrong).toEqual([]);
  expect(accepted).toBeGreaterThan(evasions.length / 4);
  expect(effective).toBeGreaterThan(0);
});
