import { describe, expect, test } from 'vitest';
import {
  aboutOf,
  askedKey,
  findAnswered,
  type PastAnswer,
  recall,
  remember,
  type StoredAnswer,
  sayAgain,
} from '../../../src/core/memory/index.ts';
import type { Answer, OptionMeaning, Question } from '../../../src/protocol/index.ts';
import { asking } from '../../harness/some-sessions.ts';

const option = (label: string, means: OptionMeaning, key = '1') => ({ key, label, description: null, means });
const question = (some: Partial<Question>): Question => {
  const asked = asking(some).status?.question;
  if (asked == null) throw new Error('no question');
  return asked;
};
const permission = question({
  options: [
    option('Yes', 'yes'),
    option("Yes, and don't ask again", 'always'),
    option('Yes, and skip all permissions', 'more'),
    option('No', 'no'),
  ],
});
const stores = [option('Postgres', 'choice'), option('SQLite', 'choice', '2'), option('Type something', 'text', '3')];
const choice = question({
  ...{ kind: 'question', tool: { name: 'AskUserQuestion', input: {} }, text: 'Which store?', options: stores },
  questions: [{ header: null, text: 'Which store?', options: stores, multi: false }],
});
const several = question({
  ...{ kind: 'question', tool: { name: 'AskUserQuestion', input: {} }, text: 'Which store?', options: stores },
  questions: [
    { header: 'Store', text: 'Which store?', options: stores, multi: false },
    { header: null, text: 'Which tests?', options: stores, multi: true },
  ],
});

describe('two calls ask the same', () => {
  const bash = (input: object, name = 'Bash') => askedKey({ name, input });
  test.each<[string, object, object, boolean]>([
    ['whatever describes them', { command: 'ls', description: 'Lists' }, { command: 'ls', description: 'x' }, true],
    ['in whichever order', { command: 'ls', timeout: 5 }, { timeout: 5, command: 'ls' }, true],
    ['unless the command differs', { command: 'ls' }, { command: 'ls ' }, false],
    [
      'unless one runs in the background',
      { command: 'ls', description: 'x' },
      { command: 'ls', run_in_background: true },
      false,
    ],
    ['unless one has no sandbox', { command: 'ls' }, { command: 'ls', dangerouslyDisableSandbox: true }, false],
    ['unless a nested value differs', { command: 'ls', a: [{ b: 1 }] }, { command: 'ls', a: [{ b: 2 }] }, false],
    ['unless a value has another type', { command: '1' }, { command: 1 }, false],
    [
      'unless a field is named as what it would inherit',
      { command: 'ls' },
      JSON.parse('{"command":"ls","__proto__":1}'),
      false,
    ],
  ])('%s', (_, one, other, isSame) => {
    expect(bash(one) === bash(other)).toBe(isSame);
  });

  test('only with the same tool, and a description that is the content counts', () => {
    expect(bash({ command: 'ls' })).not.toBe(bash({ command: 'ls' }, 'Zsh'));
    const issue = (description: string) => bash({ title: 'x', description }, 'mcp__tracker__create_issue');
    expect(issue('one')).not.toBe(issue('other'));
  });

  test('and are recognized by the command, the file or the words', () => {
    expect(aboutOf(permission)).toBe('npm test');
    expect(aboutOf(several)).toBe('Which store? / Which tests?');
    expect(aboutOf({ ...permission, tool: { name: 'mcp__x', input: { to: 'y' } } })).toBe('{"to":"y"}');
    expect(aboutOf({ ...permission, tool: { name: 'Bash', input: { command: 'x'.repeat(9_999) } } })).toHaveLength(
      2_000,
    );
  });
});

describe('an answer is remembered and said again', () => {
  const no = (remark: string | null) => ({ said: 'no', remark, chosen: [] });
  const chose = (labels: string[], text: string | null = null) => ({ question: 'Which store?', labels, text });
  test.each<[string, Question, Answer, object | null, Answer | null]>([
    ['a yes', permission, { choice: 'yes' }, { said: 'yes', remark: null, chosen: [] }, { choice: 'yes' }],
    ['its number', permission, { choice: 1 }, { said: 'yes', remark: null, chosen: [] }, { choice: 'yes' }],
    ['an always', permission, { choice: 2 }, { said: 'always', remark: null, chosen: [] }, { choice: 'always' }],
    ['a no', permission, { choice: 'no' }, no(null), { choice: 'no' }],
    [
      'a no with a remark',
      permission,
      { choice: 'no', text: ' use pnpm ' },
      no('use pnpm'),
      { choice: 'no', text: 'use pnpm' },
    ],
    ['a no with a long remark', permission, { choice: 'no', text: 'x'.repeat(3_000) }, no('x'.repeat(2_000)), null],
    ['what goes beyond the call', permission, { choice: 3 }, null, null],
    ['what is not offered', permission, { choice: 9 }, null, null],
    ['an option', choice, { choice: 2 }, { said: 'choice', remark: null, chosen: [chose(['SQLite'])] }, { choice: 2 }],
    [
      'own words',
      choice,
      { text: 'DuckDB' },
      { said: 'choice', remark: null, chosen: [chose([], 'DuckDB')] },
      { answers: { 'Which store?': 'DuckDB' } },
    ],
    [
      'several answers',
      several,
      { answers: { Store: 'SQLite', 'Which tests?': ['SQLite', 'Postgres', 'mine'] } },
      {
        ...{ said: 'choice', remark: null },
        chosen: [chose(['SQLite']), { question: 'Which tests?', labels: ['SQLite', 'Postgres'], text: 'mine' }],
      },
      { answers: { 'Which store?': 'SQLite', 'Which tests?': ['SQLite', 'Postgres', 'mine'] } },
    ],
    ['a plan', { ...permission, kind: 'plan' }, { choice: 'yes' }, null, null],
    ['a cut call', { ...permission, cut: true }, { choice: 'no' }, null, null],
    ['a call that is not known', { ...permission, tool: null }, { choice: 'yes' }, null, null],
    ['a prompt', { ...permission, kind: 'closing' }, { text: 'go on' }, null, null],
  ])('%s', (_, asked, answer, said, again) => {
    const remembered = remember(asked, answer);
    expect(remembered).toEqual(said);
    if (remembered !== null) expect(sayAgain(asked, remembered)).toEqual(again);
  });

  test('only while the question offers it', () => {
    const sqlite = remember(choice, { choice: 2 });
    if (sqlite === null) throw new Error('not remembered');
    const options = [option('Postgres', 'choice'), option('DuckDB', 'choice', '2')];
    expect(sayAgain({ ...choice, options, questions: [{ ...choice, header: null, options }] }, sqlite)).toBeNull();
    expect(sayAgain({ ...permission, options: [] }, { said: 'yes', remark: null, chosen: [] })).toBeNull();
    // The same labels in another order have other numbers.
    const turned = [option('SQLite', 'choice'), option('Postgres', 'choice', '2')];
    const asked = { ...choice, options: turned, questions: [{ ...choice, header: null, options: turned }] };
    expect(sayAgain(asked, sqlite)).toEqual({ choice: 1 });
  });
});

const past = (said: PastAnswer['said'], at: number, some: Partial<PastAnswer> = {}): PastAnswer => ({
  ...{ said, at, session: 'AUTH', remark: null, chosen: [] },
  ...some,
});

describe('answers are counted', () => {
  test.each<[string, PastAnswer[], string[], boolean, string | null]>([
    ['none', [], [], false, null],
    ['always the same', [past('yes', 1), past('yes', 2)], ['2 yes'], false, 'yes'],
    ['a yes and an always both allow', [past('always', 1), past('yes', 2)], ['1 always', '1 yes'], false, 'yes'],
    ['an always is suggested as a yes', [past('always', 1)], ['1 always'], false, 'yes'],
    ['a single no differs', [past('yes', 1), past('no', 2), past('yes', 3)], ['2 yes', '1 no'], true, null],
    ['remarks differ', [past('no', 1), past('no', 2, { remark: 'x' })], ['1 no', '1 no x'], true, null],
    ['the same remark', [past('no', 1, { remark: 'x' }), past('no', 2, { remark: 'x' })], ['2 no x'], false, 'no'],
  ])('%s', (_, answers, counts, differs, same) => {
    const recalled = recall(answers);
    expect(recalled.answers.map(({ count, said, remark }) => [count, said, ...(remark ?? [])].join(' '))).toEqual(
      counts,
    );
    expect(recalled.differs).toBe(differs);
    expect(recalled.same?.said ?? null).toBe(same);
  });

  test('with the last time and session of each', () => {
    const [yes] = recall([past('yes', 1), past('yes', 2_000, { session: 'B' })]).answers;
    expect(yes).toMatchObject({ count: 2, last_at: '1970-01-01T00:00:02.000Z', last_session: 'B' });
  });
});

describe('answered questions are found', () => {
  const stored = (id: number, some: Partial<StoredAnswer>): StoredAnswer => ({
    ...past('yes', id),
    ...{ id, project: '/src/shop', tool: 'Bash', about: `command ${id}`, asked: `hash ${id}` },
    ...some,
  });
  const all = [
    stored(1, { asked: 'test', about: 'npm test' }),
    stored(2, { project: '/src/shop/api' }),
    stored(3, { project: '/src/shopping', session: 'BASKET' }),
    stored(4, { asked: 'test', about: 'npm test', said: 'no', remark: 'Use pnpm' }),
    stored(5, { asked: 'test', about: 'npm test', project: '/src/other' }),
  ];
  test.each<[string[], string | null, number[][]]>([
    [[], null, [[5], [1, 4], [3], [2]]],
    [[], '/src/shop', [[1, 4], [2]]],
    [['PNPM'], null, [[1, 4]]],
    [['basket'], null, [[3]]],
    [['npm', 'test'], '/src/other', [[5]]],
    [['npm', 'basket'], null, []],
  ])('by %j in %s', (words, project, ids) => {
    expect(findAnswered(all, { words, project }).map((asked) => asked.map(({ id }) => id))).toEqual(ids);
  });
});
