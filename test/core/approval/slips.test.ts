import { describe, expect, test } from 'vitest';
import { ALLOWED, COVERED, DENIED, DENIED_PLAINLY, LINKS } from './covered.ts';
import { allow, command, deny } from './judge.ts';
import { SLIPS } from './slips.ts';

const ALLOWING = allow(...ALLOWED);
const DENYING = deny(...DENIED);
const BOTH = [...ALLOWING, ...DENYING];

test('there are enough of them', () => {
  expect(new Set([...SLIPS, ...DENIED_PLAINLY]).size).toBeGreaterThan(200);
  expect(new Set(COVERED).size).toBeGreaterThanOrEqual(100);
});

describe('a command that no rule allows', () => {
  test.each(SLIPS.map((text) => [text]))('%j asks', (text) => {
    expect(command(ALLOWING, text, { links: LINKS }).decision).toBe('ask');
    expect(command(BOTH, text, { links: LINKS }).decision).not.toBe('allow');
  });

  test.each(SLIPS.filter((text) => text.trim() !== '').map((text) => [text]))(
    '%j makes the commands around it ask too',
    (text) => {
      for (const around of [`git status && ${text}`, `git status\n${text}`, `(git status; ${text}\n)`]) {
        expect(command(ALLOWING, around, { links: LINKS }).decision).toBe('ask');
      }
    },
  );
});

describe('a denied command', () => {
  test.each(DENIED_PLAINLY.map((text) => [text]))('%j is not allowed, and is denied', (text) => {
    expect(command(BOTH, text).decision).toBe('deny');
  });

  // If a person allows a program that runs anything, everything that it runs is allowed. A denied command in its text
  // is still denied.
  const open = [...allow('make **', 'tool **'), ...DENYING];
  test.each([
    ["tool 'rm x'"],
    ['tool -c "git push"'],
    ['tool -- rm x'],
    ['make rm'],
    ['tool --run=rm'],
    ["tool 'r''m x'"],
    ['tool /bin/rm'],
    ['tool "$(base64 -d) rm"'],
    ['tool ｒm'],
    ['tool git -C x push'],
    ["tool 'git  -c a=b\npush'"],
  ])('%j may run it, so a person is asked', (text) => {
    expect(command(open, text).decision).toBe('ask');
  });

  test.each([['make firm'], ['tool warm'], ['tool legit-pushd']])('%j has nothing to do with it', (text) => {
    expect(command(open, text).decision).toBe('allow');
  });
});

describe('a command that the rules cover', () => {
  test.each(COVERED.map((text) => [text]))('%j runs without a question', (text) => {
    expect(command(ALLOWING, text, { links: LINKS })).toMatchObject({ decision: 'allow' });
  });
});
