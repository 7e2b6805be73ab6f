import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allow, command } from '../core/approval/judge.ts';
import { createRandom } from '../torture/random.ts';
import { type Evasion, evasionsHere, furnish, type Seen, tryOut, wordsOf } from './evasions.ts';

/**
 * `npm run evasions` tries 5,000 command lines, `npm test` a few. Each is run for real, in a folder of its own. What it
 * did there is compared with what a rule with a star decides about it.
 */
const COUNT = Number(process.env.EVASIONS ?? 300);
const SEED = Number(process.env.EVASIONS_SEED ?? (process.env.EVASIONS === undefined ? 40 : Date.now() % 1_000_000));
const AT_A_TIME = 4;

/** Commands that write as their names say. A rule that names one allows the file that it is told to write. */
const WRITES_BY_NAME =
  /^(?:cp|mv|ln|mkdir|touch|tee|rm|rmdir|chmod|chown|git (?:add|commit|tag|branch|stash|checkout|switch|reset|rm|clean|push|fetch|pull|remote|worktree|reflog)|git)$/;

let all: Evasion[] = [];
let furnished = '';
beforeAll(async () => {
  furnished = await furnish();
  all = await evasionsHere();
});
afterAll(() => rmSync(furnished, { recursive: true, force: true }));

/**
 * Chooses evasions by a seed: each time a program, and then one of its options. Half of the options are such that the
 * program's table does not call them harmless.
 */
function chosen(): Evasion[] {
  const random = createRandom(SEED);
  const poolOf = (isHarmless: boolean): Evasion[][] =>
    [...new Set(all.map(({ program }) => program))]
      .map((name) => all.filter(({ program, effect }) => program === name && (effect === 'none') === isHarmless))
      .filter((some) => some.length > 0);
  const pools = [poolOf(true), poolOf(false)];
  const found = new Map<string, Evasion>();
  for (let tries = 0; found.size < COUNT && tries < 20 * COUNT; tries += 1) {
    const programs = pools[tries % 2] ?? [];
    const some = programs[random.int(0, programs.length - 1)] ?? [];
    const one = some[random.int(0, some.length - 1)];
    if (one !== undefined) found.set(wordsOf(one).join(' '), one);
  }
  return [...found.values()];
}

const decision = (evasion: Evasion): string => {
  const quoted = wordsOf(evasion).map((word) => (/^[\w./=:@%+,-]+$/.test(word) ? word : `'${word}'`));
  return command(allow(`${evasion.program} **`), quoted.join(' ')).decision;
};

test('what a command runs and writes is seen', async () => {
  const written = { program: 'sort', option: '-o', words: ['-o', './new'], effect: 'writes' } as const;
  expect(await tryOut(written, furnished)).toMatchObject({ isAccepted: true, ran: false, wrote: ['new'] });
  const run = { program: 'git grep', option: '-O', words: ['-nO./mark'], effect: 'runs' } as const;
  expect(await tryOut(run, furnished)).toMatchObject({ isAccepted: true, ran: true, wrote: [] });
  expect([written, run].map(decision)).toEqual(['ask', 'ask']);
});

test(`nothing that a star allows runs, writes or reads a list (seed ${SEED})`, { timeout: 3_600_000 }, async () => {
  const evasions = chosen();
  const wrong: string[] = [];
  let accepted = 0;
  let effective = 0;
  const queue = [...evasions];
  const work = async (): Promise<void> => {
    for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
      const verdict = decision(one);
      const seen: Seen = await tryOut(one, furnished);
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
});
