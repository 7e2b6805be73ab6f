import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitsGlob } from '../../../src/core/approval/glob.ts';
import { readCommand } from '../../../src/core/approval/shell-command.ts';
import { ALLOWED, COVERED, DENIED, DENIED_PLAINLY, LINKS } from './covered.ts';
import { allow, command, deny } from './judge.ts';
import { SLIPS } from './slips.ts';

const ALLOWING = allow(...ALLOWED);
const BOTH = [...ALLOWING, ...deny(...DENIED)];

/** Commands of one line each, which can be joined. A comment is left out, because it would swallow the next command. */
const joinable = COVERED.map((text) => text.trim()).filter((text) => !/[\n&]$|\n|^cd |^!/.test(text));
const operator = fc.constantFrom(' && ', ' || ', ' | ', '; ', '\n', ' & ', '&&', '|', ';');
const composed = (parts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(parts, operator), { minLength: 1, maxLength: 5 })
    .map((all) => all.map(([text, by], index) => (index === 0 ? text : by + text)).join(''));

/** Writes the same word with quotes and backslashes. */
const dressed = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom("'", '"', '\\', ''), { minLength: word.length, maxLength: word.length })
    .map((signs) =>
      [...word]
        .map((letter, at) => (signs[at] === '\\' ? `\\${letter}` : `${signs[at]}${letter}${signs[at]}`))
        .join(''),
    );

test('commands that the rules cover are covered however they are joined', () => {
  fc.assert(
    fc.property(composed(fc.constantFrom(...joinable)), (text) => command(ALLOWING, text).decision === 'allow'),
  );
});

test('one part that no rule covers makes the whole command ask, wherever the part is', () => {
  // Commands that begin or end with an operator are left out, because a neighbour would complete them.
  const slips = SLIPS.filter((text) => /^[^;&|\s]/.test(text) && !/[&|]$/.test(text) && !text.startsWith('cd'));
  const parts = fc.tuple(composed(fc.constantFrom(...joinable)), fc.constantFrom(...slips), operator, fc.boolean());
  fc.assert(
    fc.property(parts, ([known, slip, by, isFirst]) => {
      const text = isFirst ? `${slip}\n${known}` : `${known}${by}${slip}`;
      return command(ALLOWING, text, { links: LINKS }).decision === 'ask';
    }),
  );
});

test('a denied command is never allowed, whatever surrounds it', () => {
  const parts = fc.tuple(composed(fc.constantFrom(...joinable)), fc.constantFrom(...DENIED_PLAINLY), operator);
  fc.assert(fc.property(parts, ([known, denied, by]) => command(BOTH, `${known}${by}${denied}`).decision !== 'allow'));
});

test('however its words are quoted, a denied command is denied', () => {
  const words = fc.constantFrom(...DENIED).chain((text) => fc.tuple(...text.split(' ').map(dressed)));
  fc.assert(fc.property(words, (all) => command(BOTH, all.join(' ')).decision === 'deny'));
});

test('rules that allow something else never allow any text', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'ls git;&|$`"\'\\(){}<>\n*?[]~#=!^-./x0 '), maxLength: 30 });
  fc.assert(
    fc.property(letters, (text) => command(allow('xyzzy **'), text).decision === 'ask'),
    { numRuns: 2_000 },
  );
});

test('a command that is read as plain has only words that the text shows', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'ls;&|$`"\'\\(){}<>\n*=-. '), maxLength: 20 });
  fc.assert(
    fc.property(letters, (text) => {
      const { commands, unclear } = readCommand(text);
      const bare = text.replace(/['"]/g, '');
      return (
        unclear !== null ||
        commands.every(({ words }) => words.every((word) => bare.includes(word.replace(/['"]/g, ''))))
      );
    }),
    { numRuns: 2_000 },
  );
});

describe('a pattern with `*`', () => {
  test('matches as a regular expression would', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (one, other) => {
        return fitsGlob(one, other) === new RegExp(`^${one.replaceAll('*', '.*')}$`).test(other);
      }),
    );
  });

  test('takes no time that grows without limit', () => {
    expect(fitsGlob(`${'*a'.repeat(400)}b`, 'a'.repeat(10_000))).toBe(false);
  });
});

test('a command that is too long, or nested too deep, asks at once', () => {
  expect(command(allow('echo **'), `echo ${'a'.repeat(20_000)}`)).toMatchObject({
    decision: 'ask',
    reason: 'too_long',
  });
  for (const deep of ['('.repeat(4_000), '$('.repeat(4_000), '{ '.repeat(4_000), '`'.repeat(4_001)]) {
    expect(command(BOTH, `echo ${deep}`).decision).toBe('ask');
  }
});
