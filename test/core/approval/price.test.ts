import { describe, expect, test } from 'vitest';
import type { ApprovalRule } from '../../../src/core/approval/index.ts';
import { DAILY, documentedRules, generousRules, READERS, suggestedCommands } from './daily.ts';
import { command } from './judge.ts';

test('there are 500 different command lines, of which neither set of rules allows at least 80', () => {
  expect(DAILY).toHaveLength(500);
  expect(new Set(DAILY.map(([text]) => text)).size).toBe(500);
  expect(DAILY.filter(([, by]) => by === 'neither').length).toBeGreaterThanOrEqual(80);
});

test('CBOS suggests a rule for any arguments of each program that only reads', () => {
  expect(suggestedCommands()).toEqual(READERS.map((reader) => `${reader} **`).sort());
});

/**
 * Before options were matched by tables, the sets allowed 217 and 376. The generous set lost what writes or runs
 * something else: `git branch -d`, `git commit --amend`, `tsc -p` and `--build`, `eslint --fix` and `--format`,
 * `pytest --cov`, and `go build -o`.
 */
describe.each<['documented' | 'generous', () => ApprovalRule[], number]>([
  ['documented', documentedRules, 219],
  ['generous', generousRules, 368],
])('the %s rules', (name, rulesFor, least) => {
  const judged = () => {
    const rules = rulesFor();
    return DAILY.map(([text, by]) => ({ text, isKnown: by === 'both' || by === name, verdict: command(rules, text) }));
  };

  test('still allow each command of every day that they allowed', () => {
    const lost = judged().filter(({ isKnown, verdict }) => isKnown && verdict.decision !== 'allow');
    expect(lost.map(({ text, verdict: { reason, about } }) => `${text} (${reason}: ${about})`)).toEqual([]);
  });

  test(`allow at least ${least} of the 500`, () => {
    expect(judged().filter(({ verdict }) => verdict.decision === 'allow').length).toBeGreaterThanOrEqual(least);
  });

  test('allow no other of them', () => {
    const gained = judged().filter(({ isKnown, verdict }) => !isKnown && verdict.decision === 'allow');
    expect(gained.map(({ text }) => text)).toEqual([]);
  });
});
